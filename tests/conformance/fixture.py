"""What the suite looks for: a manifest, and the SAM template of the functions behind it."""

from pathlib import Path
from typing import Any

FUNCTIONS = Path(__file__).resolve().parent / "functions"
LAYER = Path(__file__).resolve().parents[2] / "layers" / "quarry"

_TOOLSET = "suite"
_ANSWERING = {
    "test_simple_text": "content.simple_text",
    "test_image_content": "content.image_content",
    "test_audio_content": "content.audio_content",
    "test_embedded_resource": "content.embedded_resource",
    "test_multiple_content_types": "content.multiple_content_types",
    "test_error_handling": "content.error_handling",
    "test_tool_with_progress": "content.tool_with_progress",
    "test_logging_tool": "content.echo",
}
_ASKING = {
    "test_missing_capability": "questions.missing_capability",
    "test_streaming_elicitation": "questions.streaming_elicitation",
    "test_input_required_result_elicitation": "questions.elicitation",
    "test_input_required_result_sampling": "questions.sampling",
    "test_input_required_result_list_roots": "questions.list_roots",
    "test_input_required_result_request_state": "questions.request_state",
    "test_input_required_result_tampered_state": "questions.tampered_state",
    "test_input_required_result_multiple_inputs": "questions.multiple_inputs",
    "test_input_required_result_multi_round": "questions.multi_round",
    "test_input_required_result_capabilities": "questions.capabilities",
}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "additionalProperties": False,
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
    },
    "test_custom_headers": {
        "type": "object",
        "properties": {"region": {"type": "string", "description": "Any.", "x-mcp-header": "Region"}},
        "additionalProperties": False,
    },
}
_KNOWLEDGE = {
    "resource": "content.resource",
    "prompt": "content.prompt",
    "asking_prompt": "questions.prompt",
}


def handlers() -> dict[str, str]:
    """Handler by function."""
    return {**_ANSWERING, **_ASKING, **dict.fromkeys(_SCHEMAS, "content.echo"), **_KNOWLEDGE}


def template() -> dict[str, Any]:
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": "AWS::Serverless-2016-10-31",
        "Globals": {
            "Function": {
                "Runtime": "python3.13",
                "CodeUri": str(FUNCTIONS),
                "Timeout": 10,
                "MemorySize": 128,
                "AutoPublishAlias": "live",
                "Layers": [{"Ref": "Quarry"}],
            }
        },
        "Resources": {
            "Quarry": {"Type": "AWS::Serverless::LayerVersion", "Properties": {"ContentUri": str(LAYER)}},
        }
        | {
            "".join(part.capitalize() for part in name.split("_")): {
                "Type": "AWS::Serverless::Function",
                "Properties": {"FunctionName": f"quarry-{name}", "Handler": handler},
            }
            for name, handler in handlers().items()
        },
    }


def manifest() -> dict[str, Any]:
    closed = {"type": "object", "properties": {}, "additionalProperties": False}
    return {
        "version": "1.0.0",
        "server": {"name": "conformance", "title": "Conformance", "instructions": "For the suite alone."},
        "toolsets": {_TOOLSET: {"title": "Suite", "description": "What the suite calls."}},
        "tools": [
            *(_tool(name, closed) for name in _ANSWERING),
            *(_tool(name, closed) | {"asks": True, "keeps_state": True} for name in _ASKING),
            *(_tool(name, schema) for name, schema in _SCHEMAS.items()),
        ],
        "resources": [
            _resource("static-text", "text/plain"),
            _resource("static-binary", "image/png"),
        ],
        "resource_templates": [
            _entry("template")
            | {
                "uriTemplate": "test://template/{id}/data",
                "variables": {"id": []},
                "mimeType": "application/json",
                "function": "resource",
            }
        ],
        "prompts": [
            _prompt("test_simple_prompt"),
            _prompt("test_prompt_with_arguments", "arg1", "arg2"),
            _prompt("test_prompt_with_embedded_resource", "resourceUri"),
            _prompt("test_prompt_with_image"),
            _prompt("test_input_required_result_prompt") | {"function": "asking_prompt", "asks": True},
        ],
    }


def _entry(name: str) -> dict[str, Any]:
    return {"name": name, "title": name, "description": f"{name}, as the suite describes it.", "toolset": _TOOLSET}


def _tool(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return _entry(name) | {
        "scope": f"{_TOOLSET}:read",
        "read_only": True,
        "destructive": False,
        "idempotent": True,
        "open_world": False,
        "timeout_s": 10,
        "inputSchema": schema,
        "outputSchema": {"type": "object"},
    }


def _resource(name: str, mime_type: str) -> dict[str, Any]:
    return _entry(name) | {"uri": f"test://{name}", "mimeType": mime_type, "function": "resource"}


def _prompt(name: str, *arguments: str) -> dict[str, Any]:
    given = [{"name": argument, "description": "Any.", "required": True} for argument in arguments]
    return _entry(name) | {"function": "prompt", "arguments": given}
