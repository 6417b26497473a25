// Runs the hooks of a file on OpenCode's events, by `"COMMAND LINE"`.
// `hooks init` has written this file. OpenCode reads no other export than the default one.
import { spawn } from "node:child_process"

const COMMAND = ["COMMAND"]

/** Asks the hooks about an event. If they cannot be asked, the event is denied. */
const ask = (directory, event) =>
  new Promise((answer) => {
    const [program, ...args] = COMMAND
    const deny = (why) => answer({ deny: `the hooks cannot be asked: ${why}` })
    let out = ""
    let errors = ""
    const child = spawn(program, args, { cwd: directory, timeout: 30000 })
    child.on("error", (error) => deny(error.message))
    child.stdout.on("data", (data) => (out += data))
    child.stderr.on("data", (data) => (errors += data))
    child.stdin.on("error", () => {})
    child.on("close", () => {
      try {
        answer(JSON.parse(out))
      } catch {
        deny(errors.trim() || "they gave no answer")
      }
    })
    child.stdin.end(JSON.stringify({ directory, ...event }))
  })

const refuse = (said) => {
  if (said.deny) throw new Error(said.deny)
}

const server = async ({ directory }) => ({
  "chat.message": async (input, output) => {
    const texts = output.parts.filter((part) => part.type === "text")
    const prompt = texts.map((part) => part.text).join("\n")
    const said = await ask(directory, { event: "chat.message", sessionID: input.sessionID, prompt })
    refuse(said)
    const [first, ...others] = texts
    if (said.text !== undefined && first) {
      first.text = said.text
      for (const other of others) other.text = ""
    }
    if (said.context && first) {
      output.parts.push({ ...first, id: `${first.id}hooks`, text: said.context, synthetic: true })
    }
  },
  "tool.execute.before": async (input, output) => {
    const said = await ask(directory, { event: "tool.execute.before", ...input, args: output.args })
    refuse(said)
    if (said.args) {
      // OpenCode keeps its object, so the members change.
      for (const key of Object.keys(output.args)) delete output.args[key]
      Object.assign(output.args, said.args)
    }
  },
  "tool.execute.after": async (input, output) => {
    const said = await ask(directory, { event: "tool.execute.after", ...input, output: output.output })
    refuse(said)
    if (said.output !== undefined) {
      output.output = said.output
      if (output.metadata && "output" in output.metadata) output.metadata.output = said.output
    }
  },
  "experimental.text.complete": async (input, output) => {
    const said = await ask(directory, { event: "experimental.text.complete", ...input, text: output.text })
    if (said.text !== undefined) output.text = said.text
  },
  event: async ({ event }) => {
    const seen = ["session.created", "session.idle", "session.error", "session.compacted"]
    if (seen.includes(event.type)) {
      const { sessionID, info, error } = event.properties ?? {}
      await ask(directory, {
        event: event.type,
        sessionID: sessionID ?? info?.id,
        message: error?.data?.message ?? error?.name,
      })
    }
  },
})

export default { id: "hooks", server }
