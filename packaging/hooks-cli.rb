class HooksCli < Formula
  desc "Hooks for AI agents, from a file"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/releases/download/v@VERSION@/@TAR@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install "hooks"
    man1.install Dir["man/*"]
    bash_completion.install "completions/hooks.bash" => "hooks"
    fish_completion.install "completions/hooks.fish"
    zsh_completion.install "completions/_hooks"
  end

  test do
    assert_match "blocked", shell_output("#{bin}/hooks demo")
  end
end
