// What a program does on its first day with the client; prints what it was answered as one line of JSON.
import { MemoryClient } from "mem0ai";

const [host, apiKey, userId] = process.argv.slice(2);
const client = new MemoryClient({ apiKey, host });
const filters = { user_id: userId };
const told = {};

told.added = await client.add(
  [
    { role: "user", content: "I live in Zurich and I'm allergic to nuts." },
    { role: "assistant", content: "I will keep that in mind." },
  ],
  { userId, runId: "first-day", metadata: { topic: "home" } },
);
told.kept = await client.add([{ role: "user", content: "The ladder is in the shed" }], { userId, infer: false });
told.listed = await client.getAll({ filters, page: 1, pageSize: 50 });
told.found = await client.search("Where is the ladder?", { filters: { AND: [filters, { run_id: { ne: "x" } }] }, topK: 5 });
const { id } = told.kept.results[0];
told.updated = await client.update(id, { text: "The ladder is in the cellar", metadata: { moved: true } });
told.read = await client.get(id);
told.history = await client.history(id);
told.feedback = await client.feedback({ memoryId: id, feedback: "POSITIVE", feedbackReason: "it was there" });
told.users = await client.users();
told.batch = await client.batchUpdate([{ memoryId: id, text: "The ladder is in the attic" }]);
told.deleted = await client.delete(id);
told.missing = await client.get(id).catch((error) => error.constructor.name);
told.wrong = await client.search("x", { filters: { ...filters, created_at: { near: 1 } } }).catch((error) => `${error}`);
told.emptied = await client.deleteAll({ userId });
told.left = await client.getAll({ filters });
console.log(JSON.stringify(told));
