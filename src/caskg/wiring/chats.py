"""Which chat model is asked."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from caskg.wiring.places import config_file

if TYPE_CHECKING:
    from caskg.protocols import ChatModel
    from caskg.providers.metered import Meter


def open_chat(settings: Mapping[str, Any], meter: "Meter") -> "ChatModel":
    """Return the chat model of *settings*, environment and config file, behind *meter*; nothing is sent.

    Raises:
        UsageError: A setting cannot be used, or no model is named.
        ProviderError: The extra ``llm`` is not installed.
    """
    from caskg.providers.metered import MeteredChat
    from caskg.providers.openai_compatible import OpenAIChat
    from caskg.providers.settings import read_chat_settings

    endpoint, options = read_chat_settings(settings, environment=os.environ, file=config_file())
    return MeteredChat(OpenAIChat(endpoint, options, may_retry=meter.may_retry), meter)
