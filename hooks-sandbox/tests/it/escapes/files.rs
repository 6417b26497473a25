//! Reading and changing files that nobody allowed.

use std::fs::File;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use super::{Escape, Needs, rust, shell};

pub(super) const ALL: &[Escape] = &[
    shell("writes_outside", "echo x > $1/outside/file"),
    shell("appends_outside", "echo x >> $1/outside/file"),
    shell("writes_through_a_link", "echo x > link-out/file"),
    shell("writes_through_a_new_link", "ln -s $1/outside new; echo x > new/file"),
    shell("writes_through_dots", "echo x > ../outside/file"),
    shell("writes_through_proc_root", "echo x > /proc/self/root/$1/outside/file"),
    shell("writes_through_proc_cwd", "echo x > /proc/self/cwd/../outside/file"),
    shell("removes_outside", "rm -f $1/outside/file"),
    shell("removes_a_folder_outside", "rm -rf $1/outside/folder"),
    shell("renames_outside", "mv $1/outside/file $1/outside/other"),
    shell("takes_a_file_from_outside", "mv $1/outside/file ."),
    shell("moves_a_file_outside", "echo x > new; mv new $1/outside/new"),
    shell("makes_a_folder_outside", "mkdir $1/outside/new"),
    shell("makes_a_link_outside", "ln -s / $1/outside/new"),
    shell("makes_a_pipe_outside", "mkfifo $1/outside/new"),
    shell("links_hard_from_outside", "ln $1/outside/file new && echo x > new"),
    shell("links_hard_to_outside", "echo x > new; ln new $1/outside/new"),
    shell("links_hard_over_proc", "ln -L /proc/self/fd/0 new && echo x > new").needs(Needs::Luck),
    shell("truncates_outside", "truncate -s 1 $1/outside/file"),
    shell("sets_the_mode_outside", "chmod 777 $1/outside/file"),
    shell("sets_the_mode_of_the_home", "chmod 777 $HOME"),
    shell("sets_the_mode_of_what_it_may_read", "chmod 777 $HOME/.gitconfig"),
    shell("sets_the_owner_outside", "chown 1000 $1/outside/file").needs(Needs::Root),
    shell("sets_the_owner_of_what_it_may_read", "chown 1000 $HOME/.gitconfig").needs(Needs::Root),
    shell("sets_times_outside", "touch -d 2001-01-01 $1/outside/file"),
    shell("sets_times_of_what_it_may_read", "touch -d 2001-01-01 $HOME/.gitconfig"),
    rust("sets_an_attribute_outside", |words| {
        let path = Path::new(&words[0]).join("outside/file");
        Ok(rustix::fs::setxattr(path, "user.x", b"x", rustix::fs::XattrFlags::empty())?)
    }),
    rust("sets_an_attribute_of_what_it_may_read", |words| {
        let path = Path::new(&words[0]).join("home/.gitconfig");
        Ok(rustix::fs::setxattr(path, "user.x", b"x", rustix::fs::XattrFlags::empty())?)
    }),
    rust("sets_the_mode_of_an_open_file", |words| {
        let file = File::open(Path::new(&words[0]).join("home/.gitconfig"))?;
        Ok(rustix::fs::fchmod(file, Mode::from(0o666))?)
    }),
    rust("opens_standard_input_to_write", |_| {
        let file = rustix::fs::open("/proc/self/fd/0", OFlags::WRONLY | OFlags::TRUNC, Mode::empty());
        rustix::io::write(file?, b"x")?;
        Ok(())
    }),
    rust("links_standard_input_by_its_descriptor", |_| {
        let here = ["new", "/proc/self/fd/0"];
        rustix::fs::linkat(CWD, here[1], CWD, here[0], AtFlags::SYMLINK_FOLLOW)?;
        std::fs::write(here[0], "x")?;
        Ok(())
    }),
    shell("writes_what_it_may_read", "echo x >> $HOME/.gitconfig"),
    shell("writes_the_start_of_shells", "echo x >> $HOME/.bashrc"),
    shell("makes_a_program_at_home", "mkdir -p $HOME/.local/bin && echo x > $HOME/.local/bin/ls"),
    shell("reads_outside", "cat $1/outside/secret"),
    shell("reads_through_a_link", "cat link-out/secret"),
    shell("reads_through_proc_root", "cat /proc/self/root/$1/outside/secret; cat /proc/1/root/$1/outside/secret"),
    shell("reads_a_key", "cat $HOME/.ssh/id_ed25519"),
    shell("reads_a_token_of_npm", "cat $HOME/.npmrc"),
    shell("reads_a_token_of_cargo", "cat $HOME/.cargo/credentials.toml"),
    shell("lists_outside", "ls $1/outside | grep -q secret && echo OUT"),
    shell("lists_the_home", "ls -A $HOME | grep -q npmrc && echo OUT"),
    shell("looks_at_a_name_outside", "test -e $1/outside/secret && echo OUT").needs(Needs::Namespaces),
    shell("reads_what_is_hidden", "cat .env"),
    shell("copies_what_is_hidden", "cp .env new && cat new"),
    shell("renames_what_is_hidden", "mv .env new && cat new"),
    shell("links_what_is_hidden", "ln .env new && cat new"),
    shell("links_softly_what_is_hidden", "ln -s .env new && cat new"),
    shell("writes_what_is_hidden", "echo x > .env"),
    shell("reads_passwords", "grep -q . /etc/shadow && echo OUT").needs(Needs::Root),
    shell("reads_a_disk", "for d in /dev/[vsx]d[a-z] /dev/nvme?n1; do head -c 1 $d | grep -q ^ && echo OUT; done").needs(Needs::Luck),
    shell("makes_a_device", "mknod new c 1 11 && echo OUT").needs(Needs::Root),
    shell("opens_the_memory", "head -c 1 /dev/mem > /dev/null && echo OUT").needs(Needs::Luck),
    shell("opens_the_log", "( : >> /dev/kmsg ) && echo OUT").needs(Needs::Root),
    shell("opens_the_terminal", "( : >> /dev/tty ) && echo OUT").needs(Needs::Luck),
    shell("sets_the_kernel", "( : >> /proc/sys/kernel/core_pattern ) && echo OUT").needs(Needs::Root),
    shell("presses_a_key_of_the_kernel", "( : >> /proc/sysrq-trigger ) && echo OUT").needs(Needs::Luck),
    shell("sets_a_device", "( : >> /sys/kernel/mm/ksm/run || : >> /sys/kernel/uevent_helper || : >> /sys/power/state ) 2> /dev/null && echo OUT").needs(Needs::Luck),
    shell("makes_a_control_group", "mkdir /sys/fs/cgroup/$$ && rmdir /sys/fs/cgroup/$$ && echo OUT").needs(Needs::Luck),
    shell("writes_to_the_system", "( : >> /etc/passwd ) && echo OUT").needs(Needs::Root),
    shell("replaces_a_program", "( : >> /usr/bin/env ) && echo OUT").needs(Needs::Root),
    shell("writes_to_the_shared_temporary_folder", "echo x > ${1%/*}/${1##*/}-new && test -e ${1%/*}/${1##*/}-new && ls ${1%/*} | grep -q hooks-sandbox && echo OUT").needs(Needs::Luck),
    // In the test that runs alone, nobody has left one open.
    shell("reads_an_open_descriptor", "for fd in 3 4 5 6 7 8 9; do cat <&$fd; done").needs(Needs::Luck),
    shell(
        "reads_an_open_descriptor_by_proc",
        "for f in /proc/self/fd/[3-9] /proc/1/fd/[3-9] /proc/$PPID/fd/[3-9]; do timeout 1 head -c 20 $f; done",
    )
    .needs(Needs::Luck),
];
