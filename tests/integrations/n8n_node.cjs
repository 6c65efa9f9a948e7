// mem0's node for n8n with its credential, run as n8n runs it: parameters and requests come from the context it is called in.
const Module = require("node:module");
const path = require("node:path");

const [modules, address, key] = process.argv.slice(2);
class Refusal extends Error {
  constructor(node, error) {
    super(error.message || error);
  }
}
const n8n = { NodeConnectionTypes: { Main: "main" }, NodeConnectionType: { Main: "main" }, NodeOperationError: Refusal,
  NodeApiError: Refusal, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
const load = Module._load;
Module._load = (name, ...rest) => (name === "n8n-workflow" ? n8n : load(name, ...rest));

const place = path.join(modules, "@mem0/n8n-nodes-mem0/dist");
const { Mem0 } = require(path.join(place, "nodes/Mem0/Mem0.node.js"));
const { Mem0Api } = require(path.join(place, "credentials/Mem0Api.credentials.js"));
const credentials = { apiKey: key, baseUrl: address };
const credential = new Mem0Api();

async function request(options) {
  const header = credential.authenticate.properties.headers.Authorization;
  const url = new URL((options.baseURL || "") + options.url);
  for (const [name, value] of Object.entries(options.qs || {})) url.searchParams.set(name, value);
  const answer = await fetch(url, {
    method: options.method || "GET",
    headers: { Authorization: header.slice(1).replace("{{$credentials.apiKey}}", key), "Content-Type": "application/json" },
    body: options.body === undefined ? undefined : JSON.stringify(options.body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${options.method} ${url}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : {};
}

async function run(parameters) {
  const context = {
    getInputData: () => [{ json: {} }],
    getCredentials: async () => credentials,
    getNode: () => ({ name: "Mem0" }),
    getNodeParameter: (name, _, missing) => (name in parameters ? parameters[name] : missing),
    continueOnFail: () => false,
    helpers: { httpRequestWithAuthentication: (_, options) => request(options),
      returnJsonArray: (data) => [data].flat().map((json) => ({ json })),
      constructExecutionMetaData: (data) => data },
  };
  const [items] = await new Mem0().execute.call(context);
  return items.map((item) => item.json);
}

async function main() {
  const test = credential.test.request;
  const ping = await fetch(address + test.url, { headers: { Authorization: `Token ${key}` } });
  const person = { resource: "memory", userId: "ann" };
  await run({ ...person, operation: "add", "messages.message": [{ role: "user", content: "I live in York." }],
    waitForCompletion: false, addFields: { infer: false } });
  const search = await run({ ...person, operation: "search", query: "York", limit: 5 });
  const found = search.flatMap((one) => one.results || [one]);
  const memoryId = found[0].id;
  await run({ ...person, operation: "update", memoryId, text: "I live in Leeds." });
  const [read] = await run({ ...person, operation: "get", memoryId });
  await run({ ...person, operation: "delete", memoryId });
  const rest = await run({ ...person, operation: "getAll", returnAll: true });
  const left = rest.flatMap((one) => one.results || [one]).filter((one) => one.id);
  console.log(JSON.stringify({ test: ping.status, search: found, read, left }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
