"""The frameworks that the client for Python has adapters for: what to install, and a program to begin with."""

from memory.console.setup_blocks import Access, ClientSetup, SetupGroup, SetupStep
from memory.web.wordings import translate as _

CLIENT = "/clients/commonplace-client.tar.gz"
RUN = _("Run it.")


def install_client(access: Access, package: str) -> SetupStep:
    return SetupStep(_("In a terminal:"), f"pip install {access.base}{CLIENT} {package}".strip())


def open_person(access: Access) -> str:
    return f"""from commonplace_client import Commonplace

memory = Commonplace("{access.base}", "{access.key}")
person = memory.person("{access.person}")"""


def set_up_langgraph(access: Access) -> list[SetupStep]:
    code = f"""{open_person(access)}

from commonplace_client.langgraph import CommonplaceStore

store = CommonplaceStore(memory)  # graph = builder.compile(store=store)
store.put(("{access.person}", "notes"), "home", {{"text": "Lives in York"}})
print(store.search(("{access.person}",), query="Where do I live?"))"""
    return [install_client(access, "langgraph"), SetupStep("Python:", code)]


def set_up_llama_index(access: Access) -> list[SetupStep]:
    code = f"""{open_person(access)}

from commonplace_client.llama_index import CommonplaceBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

chat = Memory.from_defaults(session_id="thread-1", memory_blocks=[CommonplaceBlock(person)])
chat.put(ChatMessage(role="user", content="Where do I live?"))  # await agent.run(..., memory=chat)
print(chat.get())"""
    return [install_client(access, "llama-index-core"), SetupStep("Python:", code)]


def set_up_openai_agents(access: Access) -> list[SetupStep]:
    code = f"""{open_person(access)}

from agents import Agent, RunConfig, Runner
from commonplace_client.openai_agents import CommonplaceSession, add_context, list_memory_tools

agent = Agent(name="helper", tools=list_memory_tools(person))
config = RunConfig(call_model_input_filter=add_context(person))
session = CommonplaceSession("thread-1", person)
print(Runner.run_sync(agent, "Where do I live?", session=session, run_config=config).final_output)"""
    return [install_client(access, "openai-agents"), SetupStep("Python:", code)]


def set_up_anthropic(access: Access) -> list[SetupStep]:
    code = f"""{open_person(access)}

from anthropic import Anthropic
from commonplace_client.anthropic_memory import CommonplaceMemoryTool

said = [{{"role": "user", "content": "Remember that I live in York."}}]
tools = [CommonplaceMemoryTool(person)]
asked = {{"model": "claude-sonnet-5-5", "max_tokens": 1024, "messages": said, "tools": tools}}
print(Anthropic().beta.messages.tool_runner(**asked).until_done())"""
    return [install_client(access, "anthropic"), SetupStep("Python:", code)]


def set_up_hermes(access: Access) -> list[SetupStep]:
    commands = f"""pip install {access.base}{CLIENT}
mkdir -p ~/.hermes/plugins
curl -fsS {access.base}/clients/commonplace-hermes.tar.gz | tar xz -C ~/.hermes/plugins
printf 'COMMONPLACE_URL=%s\\nCOMMONPLACE_KEY=%s\\nCOMMONPLACE_USER=%s\\n' \\
  {access.base} {access.key} {access.person} >> ~/.hermes/.env
hermes config set memory.provider commonplace"""
    return [SetupStep(_("In a terminal, in the environment that Hermes runs in:"), commands)]


FRAMEWORKS = SetupGroup(
    _("Frameworks"),
    [
        ClientSetup("langgraph", "LangGraph", _("a store"), CLIENT, set_up_langgraph, RUN),
        ClientSetup("llama-index", "LlamaIndex", _("a memory block"), CLIENT, set_up_llama_index, RUN),
        ClientSetup("openai-agents", "OpenAI Agents", _("session, tools, context"), CLIENT, set_up_openai_agents, RUN),
        ClientSetup("anthropic", "Anthropic memory", _("files that last"), CLIENT, set_up_anthropic, RUN),
        ClientSetup("hermes", "Hermes", _("a memory provider"), CLIENT, set_up_hermes, _("Say something.")),
    ],
)
