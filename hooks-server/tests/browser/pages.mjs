// The pages that the tests walk through: a name, and its address.

export const PAGES = [
  ["order", "/"],
  ["order-all", "/?event="],
  ["order-draft", "/?of=draft"],
  ["simulator", "/simulator"],
  ["publish", "/publish"],
  ["revision", "/revisions/1"],
  ["executions", "/executions"],
  ["executions-live", "/executions?live=1"],
  ["executions-none", "/executions?tool=none"],
  ["execution", "/executions/3"],
  ["session", "/sessions/demo"],
  ["hook-new", "/hook/new"],
  ["overview", "/overview"],
  ["settings", "/settings"],
];
