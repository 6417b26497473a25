//! Changing what runs or decides later, outside.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};

use super::{Escape, Needs, rust, shell};

pub(super) const ALL: &[Escape] = &[
    shell(
        "adds_a_git_hook",
        "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    ),
    shell("removes_git_hooks", "rm -rf .git/hooks"),
    shell(
        "moves_git_hooks_away",
        "mv .git/hooks .git/h; mkdir .git/hooks",
    ),
    shell(
        "puts_a_link_for_git_hooks",
        "rm -rf .git/hooks; ln -s ../src .git/hooks",
    ),
    shell("sets_git", "git config core.fsmonitor ./evil"),
    shell("appends_to_the_settings_of_git", "echo x >> .git/config"),
    shell(
        "replaces_the_settings_of_git",
        "echo x > .git/new; mv .git/new .git/config",
    ),
    shell(
        "links_the_settings_of_git",
        "ln .git/config .git/new && echo x >> .git/new",
    ),
    shell(
        "links_the_settings_of_git_elsewhere",
        "ln .git/config new && echo x >> new",
    ),
    shell("sets_git_for_a_work_tree", "echo x > .git/config.worktree"),
    shell(
        "sends_git_to_another_folder",
        "mkdir g; echo ../g > .git/commondir",
    ),
    shell(
        "moves_the_repository_away",
        "mv .git g; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    ),
    shell(
        "removes_the_repository",
        "rm -rf .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    ),
    shell(
        "copies_the_repository_over",
        "cp -r .git g; echo x >> g/config; mv .git h; mv g .git",
    ),
    shell(
        "adds_a_hook_where_the_settings_say",
        "mkdir -p .husky; echo x > .husky/pre-commit",
    ),
    shell(
        "changes_settings_that_the_settings_include",
        "echo x > .git/more; echo x > shared.ini",
    ),
    shell(
        "adds_a_hook_of_a_submodule",
        "echo x > .git/modules/sub/hooks/pre-commit",
    ),
    shell(
        "sets_git_for_a_submodule",
        "echo x >> .git/modules/sub/config",
    ),
    shell(
        "moves_submodules_away",
        "mv .git/modules .git/m; mkdir -p .git/modules/sub",
    ),
    shell(
        "makes_a_repository",
        "cd ../plain; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    ),
    shell(
        "makes_a_bare_repository",
        "cd ../plain; echo 'ref: refs/heads/main' > HEAD",
    ),
    shell(
        "names_a_repository_elsewhere",
        "cd ../plain; echo 'gitdir: ../work/g' > .git",
    ),
    shell("changes_the_hooks", "echo x >> hooks.toml"),
    shell("edits_the_hooks", "sed -i s/as/is/ hooks.toml"),
    shell("removes_the_hooks", "rm -f hooks.toml"),
    shell("renames_the_hooks", "mv hooks.toml h"),
    shell("replaces_the_hooks", "echo x > new; mv -f new hooks.toml"),
    shell("links_the_hooks", "ln hooks.toml new && echo x >> new"),
    shell("links_over_the_hooks", "echo x > new; ln -f new hooks.toml"),
    shell("puts_a_link_for_the_hooks", "ln -sf src/code hooks.toml"),
    shell("truncates_the_hooks", "truncate -s 0 hooks.toml"),
    shell("sets_the_mode_of_the_hooks", "chmod 777 hooks.toml"),
    shell("sets_times_of_the_hooks", "touch -d 2001-01-01 hooks.toml"),
    shell("changes_what_the_lock_leads_to", "echo x >> src/linked"),
    shell(
        "replaces_what_the_lock_leads_to",
        "mv src/linked src/l; echo x > src/linked",
    ),
    shell(
        "moves_the_folder_of_what_the_lock_leads_to",
        "mv src s; mkdir src; echo x > src/linked",
    ),
    shell("replaces_the_lock", "rm -f hooks.lock; echo x > hooks.lock"),
    shell("sets_an_agent", "echo x > .claude/settings.json"),
    shell("adds_to_an_agent", "echo x > .claude/new"),
    shell(
        "moves_an_agent_away",
        "mv .claude c; mkdir .claude; echo x > .claude/settings.json",
    ),
    shell(
        "makes_settings_of_agents",
        "for a in .codex .gemini .cursor .goose; do mkdir $a; echo x > $a/hooks.json; done",
    ),
    shell("makes_tools_of_an_agent", "echo x > .mcp.json"),
    shell(
        "makes_tools_of_an_agent_by_a_link",
        "ln -s src/code .mcp.json",
    ),
    shell(
        "moves_tools_of_an_agent_there",
        "echo x > new; mv new .mcp.json",
    ),
    shell(
        "removes_a_place_holder",
        "rmdir .mcp.json; echo x > .mcp.json",
    ),
    shell(
        "puts_something_into_a_place_holder",
        "mkdir -p .vscode; chmod 700 .vscode; echo x > .vscode/tasks.json",
    ),
    shell(
        "moves_a_place_holder_away",
        "mv .vscode v; mkdir .vscode; echo x > .vscode/tasks.json",
    ),
    shell(
        "makes_settings_of_editors",
        "mkdir .vscode .idea; echo x > .vscode/tasks.json; echo x > .idea/workspace.xml",
    ),
    shell(
        "makes_the_start_of_shells",
        "cd; for f in .bashrc .profile .zshrc; do echo x > $f; done",
    )
    .with("write=PLACE/home"),
    shell(
        "makes_the_start_of_shells_in_the_workspace",
        "echo x > .bashrc; echo x > .envrc",
    ),
    shell(
        "makes_hooks_beside_workflows",
        "mkdir -p .github/hooks; echo x > .github/hooks/a.json",
    ),
    shell(
        "moves_the_folder_of_hooks_beside_workflows",
        "mkdir -p .github; mv .github g; mkdir -p .github/hooks; echo x > .github/hooks/a.json",
    ),
    shell(
        "sets_an_agent_in_a_folder_below",
        "echo x > app/web/.claude/settings.json",
    ),
    shell(
        "moves_the_folder_of_an_agent_below",
        "mv app a; mkdir -p app/web/.claude; echo x > app/web/.claude/settings.json",
    ),
    shell(
        "adds_a_hook_of_a_repository_below",
        "echo x > lib/vendored/.git/hooks/pre-commit; echo x >> lib/vendored/.git/config",
    ),
    shell(
        "moves_a_repository_below",
        "mv lib l; mkdir -p lib/vendored/.git/hooks; echo x > lib/vendored/.git/config",
    ),
    shell(
        "makes_hooks_in_a_repository_below",
        "echo x > lib/vendored/hooks.toml; echo x > lib/vendored/.mcp.json",
    ),
    shell(
        "writes_an_agent_that_you_name",
        "echo x > .claude/settings.json",
    )
    .with("write=PLACE/work/.claude"),
    shell(
        "writes_what_is_in_an_agent_that_you_name",
        "echo x > .claude/settings.json; echo x > app/web/.claude/settings.json",
    )
    .with("write=PLACE/work/.claude/settings.json write=PLACE/work/app/web/.claude"),
    shell(
        "moves_an_agent_below_that_you_name",
        "mv app a; mkdir -p app/web/.claude; echo x > app/web/.claude/settings.json",
    )
    .with("write=PLACE/work/app/web/.claude"),
    shell(
        "adds_a_hook_of_git_that_you_name",
        "echo x > .git/hooks/pre-commit",
    )
    .with("write=PLACE/work/.git/hooks"),
    shell("adds_a_submodule", "echo x > .gitmodules"),
    shell("changes_what_you_protect", "echo x > deploy/run.sh")
        .with("protect=PLACE/work/deploy/run.sh"),
    shell(
        "moves_the_folder_of_what_you_protect",
        "mv deploy d; mkdir deploy; echo x > deploy/run.sh",
    )
    .with("protect=PLACE/work/deploy/run.sh"),
    shell(
        "renames_the_folder_itself",
        "cd ..; mv work w; mkdir work; echo x > work/hooks.toml",
    ),
    shell(
        "renames_the_folder_on_the_way",
        "cd /; mv $1 $1-new; mkdir -p $1/work; echo x > $1/work/hooks.toml",
    )
    .needs(Needs::Luck),
    shell("mounts_over", "mount --bind src .claude && echo OUT").needs(Needs::Luck),
    shell(
        "mounts_memory_over",
        "mount -t tmpfs none .claude && echo OUT",
    )
    .needs(Needs::Luck),
    shell(
        "mounts_again_to_write",
        "mount -o remount,bind,rw .git/hooks; echo x > .git/hooks/pre-commit",
    ),
    shell(
        "unmounts",
        "umount -l .git/hooks; umount -l .git; umount -l hooks.toml; echo x > hooks.toml",
    ),
    shell(
        "unmounts_as_its_own_root",
        "unshare -rm sh -c 'umount -l hooks.toml; mount -o remount,bind,rw hooks.toml; echo x > hooks.toml'",
    ),
    rust("exchanges_the_hooks", |_| {
        std::fs::write("new", "x")?;
        Ok(rustix::fs::renameat_with(
            CWD,
            "new",
            CWD,
            "hooks.toml",
            RenameFlags::EXCHANGE,
        )?)
    }),
    rust("exchanges_the_repository", |_| {
        std::fs::create_dir_all("g/hooks")?;
        Ok(rustix::fs::renameat_with(
            CWD,
            "g",
            CWD,
            ".git",
            RenameFlags::EXCHANGE,
        )?)
    }),
    rust("links_a_nameless_file_there", |_| {
        let file = rustix::fs::open(".", OFlags::TMPFILE | OFlags::WRONLY, Mode::from(0o600))?;
        rustix::io::write(&file, b"x")?;
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        Ok(rustix::fs::linkat(
            CWD,
            path,
            CWD,
            ".mcp.json",
            AtFlags::SYMLINK_FOLLOW,
        )?)
    }),
    rust("copies_into_the_hooks", |_| {
        let from = std::fs::File::open("src/code")?;
        let to = std::fs::OpenOptions::new()
            .append(false)
            .write(true)
            .open("hooks.toml")?;
        rustix::fs::copy_file_range(from, None, to, None, 3)?;
        Ok(())
    }),
    rust("opens_the_hooks_by_a_path_descriptor", |_| {
        let path = rustix::fs::open("hooks.toml", OFlags::PATH, Mode::empty())?;
        let again = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&path));
        Ok(std::fs::write(Path::new(&again), "x")?)
    }),
];
