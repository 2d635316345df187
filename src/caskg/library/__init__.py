"""A folder of SKILL.md files as data: parsing, fields, tokens, vectors."""
