"""Resources and prompts."""

import json
from typing import Any

from content import picture

Event = dict[str, Any]


def resource(event: Event, context: object) -> dict[str, Any]:
    uri = event["uri"]
    if uri == "test://static-binary":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": picture()}]}
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}
    number = uri.split("/")[3]
    text = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}


def prompt(event: Event, context: object) -> dict[str, Any]:
    name, given = event["prompt"]["name"], event["prompt"]["arguments"]
    if name == "test_simple_prompt":
        return _messages(_text("This is a simple prompt for testing."))
    if name == "test_prompt_with_arguments":
        return _messages(_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))
    if name == "test_prompt_with_image":
        image = {"type": "image", "data": picture(), "mimeType": "image/png"}
        return _messages(image, _text("Please analyze the image above."))
    text = "Embedded resource content for testing."
    embedded = {"uri": given["resourceUri"], "mimeType": "text/plain", "text": text}
    return _messages({"type": "resource", "resource": embedded}, _text("Please process the embedded resource above."))


def asking_prompt(event: Event, context: object) -> dict[str, Any]:
    answer = event["_mcp"].get("inputResponses", {}).get("user_context")
    if answer:
        return _messages(_text(f"Use this context: {answer['content']['context']}"))
    schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
    params = {"message": "Which context should the prompt use?", "requestedSchema": schema}
    return {"_mcp": {"inputRequired": {"inputRequests": {"user_context": _elicitation(params)}}}}


def _elicitation(params: dict[str, Any]) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": params}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _messages(*contents: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents]}
