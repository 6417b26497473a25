// The pages that the tests walk through: a name, and its address. `{hook}` is the first hook of the order.

export const PAGES = [
  ["order", "/"],
  ["order-all", "/?event="],
  ["order-draft", "/?of=draft"],
  ["order-node", "/?of=node:demo+agent&event="],
  ["order-turn", "/turn?hook=no-force-push&mode=off"],
  ["simulator", "/simulator"],
  ["publish", "/publish"],
  ["revision", "/revisions/1"],
  ["executions", "/executions"],
  ["executions-live", "/executions?live=1"],
  ["executions-none", "/executions?tool=none"],
  ["execution", "/executions/4"],
  ["session", "/sessions/demo"],
  ["hook", "{hook}"],
  ["hook-new", "/hook/new"],
  ["hook-versions", "{hook}/versions"],
  ["hook-delete", "{hook}/delete"],
  ["overview", "/overview"],
  ["settings", "/settings"],
];
