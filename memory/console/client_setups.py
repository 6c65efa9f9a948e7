"""What each client needs to use this memory: blocks to copy and buttons to press, with address and key in them."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from django.urls import Resolver404, resolve

from memory.console.framework_setups import FRAMEWORKS
from memory.console.setup_blocks import Access, ClientSetup, SetupGroup, SetupStep, as_block
from memory.web.addresses import offers_grants
from memory.web.wordings import translate as _

HOOK_EVENTS = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure", "SubagentStop")
CLAUDE_EVENTS = (*HOOK_EVENTS, "PreCompact", "SessionEnd")
COPILOT_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
CODEX_EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop")
CURSOR_EVENTS = ("sessionStart", "beforeSubmitPrompt", "postToolUseFailure", "afterAgentResponse", "stop", "sessionEnd")
GEMINI_EVENTS = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")
SCRIPT = "~/.local/bin/commonplace-hook"
# An address that a door answers; a client whose door this installation does not have is not offered.
HOOKS, MCP, GATEWAY, MEM0, REST = "/hooks/{}", "/mcp", "/v1/chat/completions", "/v1/ping/", "/api/v1/openapi.json"
# The page on which an operator lets a client in that is given no key.
CONSENT = "/authorize"
TOOLS_DOCUMENT = "/api/v1/tools/openapi.json"
TIMEOUT_S = 5


def set_up_claude_code(access: Access) -> list[SetupStep]:
    hook = {
        "type": "http",
        "url": f"{access.base}/hooks/claude-code",
        "headers": {"Authorization": "Bearer $COMMONPLACE_KEY"},
        "allowedEnvVars": ["COMMONPLACE_KEY"],
        "timeout": TIMEOUT_S,
    }
    settings = {"env": {"COMMONPLACE_KEY": access.key}, "hooks": {name: [{"hooks": [hook]}] for name in CLAUDE_EVENTS}}
    tools = (
        f"claude mcp add --scope user --transport http commonplace {access.base}/mcp \\\n"
        f'  --header "Authorization: {access.authorization}"'
    )
    return [
        SetupStep(_("Into ~/.claude/settings.json; what stands there already stays beside it:"), as_block(settings)),
        SetupStep(_("In a terminal, for the tools (search, remember, correct):"), tools),
    ]


def describe_script(access: Access) -> SetupStep:
    commands = f"""mkdir -p ~/.local/bin ~/.config/commonplace
curl -fsS {access.base}/hooks/commonplace-hook -o {SCRIPT}
chmod 755 {SCRIPT}
printf 'COMMONPLACE_URL=%s\\nCOMMONPLACE_KEY=%s\\n' {access.base} {access.key} > ~/.config/commonplace/hook
chmod 600 ~/.config/commonplace/hook"""
    return SetupStep(_("In a terminal: the script that passes hooks on, and its settings."), commands)


def set_up_copilot_cli(access: Access) -> list[SetupStep]:
    hook = {"type": "command", "bash": f"{SCRIPT} copilot-cli", "timeoutSec": TIMEOUT_S}
    settings = {"version": 1, "hooks": {name: [hook] for name in COPILOT_EVENTS}}
    return [describe_script(access), SetupStep(_("Into ~/.copilot/hooks/commonplace.json:"), as_block(settings))]


def set_up_codex(access: Access) -> list[SetupStep]:
    hook = {"type": "command", "command": f"{SCRIPT} codex", "timeout": TIMEOUT_S}
    tools = f"""[mcp_servers.commonplace]
url = "{access.base}/mcp"
http_headers = {{ "Authorization" = "{access.authorization}" }}"""
    return [
        describe_script(access),
        SetupStep(_("Into ~/.codex/hooks.json; Codex asks once whether you trust it:"), as_block(group_hooks(hook))),
        SetupStep(_("Into ~/.codex/config.toml, for the tools:"), tools),
    ]


def group_hooks(hook: Mapping[str, Any], events: tuple[str, ...] = CODEX_EVENTS) -> dict[str, Any]:
    return {"hooks": {name: [{"hooks": [hook]}] for name in events}}


def set_up_cursor(access: Access) -> list[SetupStep]:
    hook = {"command": f"{SCRIPT} cursor", "timeout": TIMEOUT_S}
    settings = {"version": 1, "hooks": {name: [hook] for name in CURSOR_EVENTS}}
    return [
        SetupStep(_("The tools, with one click:"), _("Add to Cursor"), link_to_cursor(access)),
        describe_script(access),
        SetupStep(_("Into ~/.cursor/hooks.json, so that memory happens without asking:"), as_block(settings)),
    ]


def set_up_gemini_cli(access: Access) -> list[SetupStep]:
    hook = {"type": "command", "name": "commonplace", "command": f"{SCRIPT} gemini-cli", "timeout": TIMEOUT_S * 1000}
    server = {"httpUrl": f"{access.base}/mcp", "headers": {"Authorization": access.authorization}}
    settings = group_hooks(hook, GEMINI_EVENTS) | {"mcpServers": {"commonplace": server}}
    return [describe_script(access), SetupStep(_("Into ~/.gemini/settings.json:"), as_block(settings))]


def link_to_cursor(access: Access) -> str:
    server = {"url": f"{access.base}/mcp", "headers": {"Authorization": access.authorization}}
    config = base64.b64encode(json.dumps(server).encode()).decode()
    return f"cursor://anysphere.cursor-deeplink/mcp/install?name=commonplace&config={quote(config, safe='')}"


def link_to_vscode(access: Access) -> str:
    server = {"name": "commonplace", "type": "http", "url": f"{access.base}/mcp"}
    return f"vscode:mcp/install?{quote(json.dumps(server | {'headers': {'Authorization': access.authorization}}))}"


def set_up_mcp(access: Access) -> list[SetupStep]:
    server = {"type": "http", "url": f"{access.base}/mcp", "headers": {"Authorization": access.authorization}}
    return [
        SetupStep("Cursor:", _("Add to Cursor"), link_to_cursor(access)),
        SetupStep(_("VS Code:"), _("Add to VS Code"), link_to_vscode(access)),
        SetupStep(_("Any other: into its list of servers."), as_block({"mcpServers": {"commonplace": server}})),
    ]


def set_up_open_webui(access: Access) -> list[SetupStep]:
    where = _(
        "Settings, Connections, OpenAI API, Add: URL and key. The key is for one person: keep the connection your own."
    )
    return [SetupStep(where, f"{access.base}/v1\n{access.key}")]


def set_up_librechat(access: Access) -> list[SetupStep]:
    block = f"""mcpServers:
  commonplace:
    type: streamable-http
    url: {access.base}/mcp
    headers:
      Authorization: {access.authorization}"""
    where = _("Into librechat.yaml. The key is for one person; docs/clients/librechat.md has the block for everybody:")
    return [SetupStep(where, block)]


def set_up_openapi(access: Access) -> list[SetupStep]:
    where = _("Open WebUI: Admin Settings, External Tools. A GPT: Actions, import from URL. Address and bearer token:")
    return [SetupStep(where, f"{access.base}{TOOLS_DOCUMENT}\n{access.key}")]


def set_up_n8n(access: Access) -> list[SetupStep]:
    where = _("The node @mem0/n8n-nodes-mem0: a credential with this base URL and key; in the node this user id:")
    return [SetupStep(where, f"{access.base}\n{access.key}\n{access.person}")]


def set_up_openai(access: Access) -> list[SetupStep]:
    code = f"""from openai import OpenAI

client = OpenAI(base_url="{access.base}/v1", api_key="{access.key}")
said = {{"role": "user", "content": "What do you know of me?"}}
answer = client.chat.completions.create(model=client.models.list().data[0].id, messages=[said])
print(answer.choices[0].message.content)"""
    return [SetupStep(_("Base URL and key, in whatever speaks to OpenAI. In Python:"), code)]


def set_up_mem0_python(access: Access) -> list[SetupStep]:
    code = f"""from mem0 import MemoryClient

client = MemoryClient(api_key="{access.key}", host="{access.base}")
client.add([{{"role": "user", "content": "I live in York."}}], user_id="{access.person}")
print(client.search("Where do I live?", filters={{"user_id": "{access.person}"}}))"""
    return [SetupStep("Python:", code)]


def set_up_mem0_javascript(access: Access) -> list[SetupStep]:
    code = f"""import {{ MemoryClient }} from "mem0ai";

const client = new MemoryClient({{ apiKey: "{access.key}", host: "{access.base}" }});
await client.add([{{ role: "user", content: "I live in York." }}], {{ userId: "{access.person}" }});
console.log(await client.search("Where do I live?", {{ filters: {{ user_id: "{access.person}" }} }}));"""
    return [SetupStep("JavaScript:", code)]


def set_up_rest(access: Access) -> list[SetupStep]:
    commands = f"""API={access.base}/api/v1/users/{access.person}
AUTH="Authorization: {access.authorization}"
curl -s $API/facts -H "$AUTH" -H "Content-Type: application/json" -d '{{"statement": "I live in York."}}'
curl -s $API/context -H "$AUTH" -H "Content-Type: application/json" -d '{{"query": "Where do I live?"}}'"""
    return [SetupStep(_("In a terminal:"), commands)]


def set_up_claude_ai(access: Access) -> list[SetupStep]:
    return [
        SetupStep(
            _(
                "On claude.ai or in Claude's app: Settings, Connectors, Add custom connector. "
                "No client id and no secret."
            ),
            f"{access.base}/mcp",
        )
    ]


def set_up_chatgpt(access: Access) -> list[SetupStep]:
    where = _(
        "In ChatGPT: Settings, Connectors, Advanced, Developer mode on; then Create, with OAuth and this address."
    )
    return [SetupStep(where, f"{access.base}/mcp")]


PROMPT = _("Send a prompt in a new session.")
TOOLS = _("Ask it what it knows of you.")
GROUPS = (
    SetupGroup(
        _("Coding agents"),
        [
            ClientSetup("claude-code", "Claude Code", _("hooks and tools"), HOOKS, set_up_claude_code, PROMPT),
            ClientSetup("copilot-cli", "Copilot CLI", _("hooks"), HOOKS, set_up_copilot_cli, PROMPT),
            ClientSetup("codex", "Codex", _("hooks and tools"), HOOKS, set_up_codex, PROMPT),
            ClientSetup("cursor", "Cursor", _("hooks and tools"), HOOKS, set_up_cursor, PROMPT),
            ClientSetup("gemini-cli", "Gemini CLI", _("hooks and tools"), HOOKS, set_up_gemini_cli, PROMPT),
        ],
    ),
    SetupGroup(
        _("Assistants"),
        [
            ClientSetup("claude-ai", "claude.ai", _("connector"), CONSENT, set_up_claude_ai, TOOLS, needs_key=False),
            ClientSetup("chatgpt", "ChatGPT", _("connector"), CONSENT, set_up_chatgpt, TOOLS, needs_key=False),
            ClientSetup("mcp", _("Any MCP client"), _("seven tools"), MCP, set_up_mcp, TOOLS),
            ClientSetup("librechat", "LibreChat", _("seven tools"), MCP, set_up_librechat, TOOLS),
            ClientSetup("openapi", _("Tools by OpenAPI"), _("Open WebUI, GPTs"), TOOLS_DOCUMENT, set_up_openapi, TOOLS),
            ClientSetup(
                "open-webui", "Open WebUI", _("chat with memory"), GATEWAY, set_up_open_webui, _("Say something.")
            ),
            ClientSetup("openai", _("OpenAI client"), _("chat with memory"), GATEWAY, set_up_openai, _("Run it.")),
        ],
    ),
    FRAMEWORKS,
    SetupGroup(
        _("Programs"),
        [
            ClientSetup("mem0-python", "mem0, Python", _("its own client"), MEM0, set_up_mem0_python, _("Run it.")),
            ClientSetup("mem0-js", "mem0, JavaScript", _("its own client"), MEM0, set_up_mem0_javascript, _("Run it.")),
            ClientSetup("n8n", "n8n", _("mem0's node"), MEM0, set_up_n8n, _("Run it.")),
            ClientSetup("rest", "REST", "curl", REST, set_up_rest, _("Run it.")),
        ],
    ),
)


def list_groups(*, has_mcp: bool) -> list[SetupGroup]:
    """The clients whose door stands open in this installation."""
    groups = [
        SetupGroup(group.name, [one for one in group.clients if has_door(one, has_mcp=has_mcp)]) for group in GROUPS
    ]
    return [group for group in groups if group.clients]


def has_door(client: ClientSetup, *, has_mcp: bool) -> bool:
    if client.door == MCP:
        return has_mcp
    if client.door == CONSENT:
        return offers_grants()
    try:
        resolve(client.door.format(client.slug))
    except Resolver404:
        return False
    return True
