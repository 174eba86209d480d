// MCP's TypeScript SDK: the first generation (argument "sdk") speaks the handshake, the second ("client") both eras.

import { readFileSync } from "node:fs";

const generation = process.argv[2];
const task = JSON.parse(readFileSync(0, "utf-8"));

const { Client, StreamableHTTPClientTransport } =
  generation === "client"
    ? await import("@modelcontextprotocol/client")
    : {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      };

const saw = (what, value) => process.stdout.write(JSON.stringify({ saw: what, value }) + "\n");

async function connected(url, key) {
  const options = generation === "client" ? { versionNegotiation: { mode: task.era === "modern" ? "auto" : "legacy" } } : {};
  const client = new Client({ name: "quarry-clients", version: "1.0.0" }, options);
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return [client, transport];
}

// The second generation walks the pages by itself; asking on is what the first needs.
async function all(list, key) {
  const found = [];
  let cursor;
  do {
    const page = await list(cursor ? { cursor } : undefined);
    found.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

const [client, transport] = await connected(task.url);
const version = client.getNegotiatedProtocolVersion ? client.getNegotiatedProtocolVersion() : transport.protocolVersion;
saw("protocol", version);
saw("tools", (await all((page) => client.listTools(page), "tools")).map((tool) => tool.name));
saw("search", (await client.callTool(task.search)).structuredContent);
const failed = await client.callTool(task.failing);
saw("tool error", failed.isError ? failed.content[0].text : "no error");
saw("resources", (await all((page) => client.listResources(page), "resources")).map((resource) => resource.uri));
saw("resource", (await client.readResource({ uri: task.resource })).contents[0].text);
saw("templated", (await client.readResource({ uri: task.templated })).contents[0].text);
saw("prompt", (await client.getPrompt(task.prompt)).messages.map((message) => message.content.text).join("\n"));
saw("completion", (await client.complete(task.completion)).completion.values);
await client.close();

const [guarded] = await connected(task.guarded_url, task.key);
saw("tools with a key", (await all((page) => guarded.listTools(page), "tools")).map((tool) => tool.name));
await guarded.close();
try {
  await connected(task.guarded_url, task.wrong_key);
} catch (error) {
  saw("refusal", `${error.name}: ${error.message}`);
}
