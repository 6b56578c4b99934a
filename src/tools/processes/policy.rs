//! The policy on which commands may run: the administrator's settings, never a parameter.

use super::shell_line::{mentioned, programs};
use satchel_host::sandbox::{Action, fits};
use satchel_model::{
    error::{Error, Kind, Result},
    settings::{Exec, ExecAsk, ExecMode, ExecSecurity, Settings},
};

/// Variables that tell a program how to show things, and cannot make it start others.
const HARMLESS: [&str; 12] = [
    "CI",
    "COLUMNS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LINES",
    "NO_COLOR",
    "TERM",
    "TZ",
    "SOURCE_DATE_EPOCH",
];

/// Builtins that start nothing, so no list need name them.
const BUILTINS: [&str; 6] = ["cd", "echo", "false", "pwd", "true", ":"];

/// Checks that commands are not switched off altogether.
///
/// # Errors
///
/// If they are.
pub(super) fn available(settings: &Settings) -> Result<()> {
    let off = |why: &str| Err(Error::new(Kind::Disabled, format!("Commands are switched off. {why}")));
    match (settings.exec.mode, settings.exec.security) {
        (ExecMode::Off, _) => off("An administrator can switch them on: exec.mode = sandboxed."),
        (_, ExecSecurity::Deny) => off("The administrator's setting exec.security is `deny`."),
        _ => Ok(()),
    }
}

/// Checks that this command may run.
///
/// # Errors
///
/// If it may not.
pub(super) fn check(policy: &Exec, action: &Action, env: &[(String, String)]) -> Result<()> {
    if let Some(name) = blocked(policy, action) {
        return Err(Error::denied(format!("'{name}' is blocked by the administrator (exec.blocked).")));
    }
    if policy.security != ExecSecurity::Allowlist {
        return Ok(());
    }
    if let Some((name, _)) = env.iter().find(|(name, _)| !HARMLESS.contains(&name.as_str())) {
        return Err(Error::denied(format!(
            "The variable '{name}' cannot be set while only listed programs may run: it could make one start another."
        )));
    }
    let Some(names) = names(action) else {
        return Err(Error::denied(
            "Only listed programs may run, and this line holds something that could start others: use plain commands, \
             joined by ; | && or ||.",
        ));
    };
    match names.iter().find(|name| !listed(policy, name, action)) {
        None => Ok(()),
        Some(name) => Err(Error::denied(format!(
            "'{name}' is not among the programs that may run. Listed are: {}.",
            policy.allowlist.join(", ")
        ))),
    }
}

/// Returns why a person must be asked whatever the risk, if so.
pub(super) fn asks(policy: &Exec, action: &Action) -> Option<String> {
    match policy.ask {
        ExecAsk::Off => None,
        ExecAsk::Always => Some("The settings ask about every command.".to_owned()),
        ExecAsk::OnMiss => match names(action) {
            None => Some("The line may start programs that cannot be told beforehand.".to_owned()),
            Some(names) => {
                let miss = names.into_iter().find(|name| !listed(policy, name, action))?;
                Some(format!("'{miss}' is not on the list of programs in the settings."))
            }
        },
    }
}

fn names(action: &Action) -> Option<Vec<String>> {
    match action {
        Action::Shell(line) => programs(line),
        Action::Program(program, _) => Some(vec![program.clone()]),
    }
}

fn listed(policy: &Exec, name: &str, action: &Action) -> bool {
    let builtin = matches!(action, Action::Shell(_)) && BUILTINS.contains(&name);
    builtin || policy.allowlist.iter().any(|pattern| fits(pattern, name))
}

/// The first blocked program the command names. The sandbox hides them besides.
fn blocked<'a>(policy: &Exec, action: &'a Action) -> Option<&'a str> {
    let is_blocked = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        policy.blocked.iter().any(|pattern| fits(pattern, name) || fits(pattern, word))
    };
    match action {
        Action::Shell(line) => mentioned(line).find(is_blocked),
        Action::Program(program, _) => Some(program.as_str()).filter(is_blocked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(security: ExecSecurity, ask: ExecAsk) -> Exec {
        Exec {
            mode: ExecMode::Sandboxed,
            security,
            ask,
            allowlist: vec!["git".to_owned(), "py*".to_owned()],
            ..Exec::default()
        }
    }

    fn shell(line: &str) -> Action {
        Action::Shell(line.to_owned())
    }

    #[test]
    fn only_listed_programs_pass_an_allow_list() {
        let policy = policy(ExecSecurity::Allowlist, ExecAsk::Off);
        let allowed = |action: &Action| check(&policy, action, &[]).is_ok();
        assert!(allowed(&shell("git log | python3 -c 'print(1)'; echo done")));
        assert!(allowed(&Action::Program("git".to_owned(), vec!["$(rm)".to_owned()])));
        for line in ["ls", "git log | sh", "./git log", "git $(sh)", "/usr/bin/git log", "GIT_PAGER=x git log"] {
            assert!(!allowed(&shell(line)), "{line}");
        }
        let env = [("LD_PRELOAD".to_owned(), "./x.so".to_owned())];
        assert!(check(&policy, &shell("git log"), &env).is_err());
    }

    #[test]
    fn a_blocked_program_does_not_run_under_any_policy() {
        let mut policy = policy(ExecSecurity::Full, ExecAsk::Off);
        policy.blocked.push("mkfs*".to_owned());
        for line in ["sudo ls", "ls && /usr/bin/sudo ls", "mkfs.ext4 x"] {
            assert_eq!(check(&policy, &shell(line), &[]).unwrap_err().kind(), Kind::Denied, "{line}");
        }
        assert!(check(&policy, &shell("ls"), &[]).is_ok());
    }

    #[test]
    fn a_miss_is_asked_about_and_a_hit_is_not() {
        let on_miss = policy(ExecSecurity::Full, ExecAsk::OnMiss);
        assert_eq!(asks(&on_miss, &shell("git log")), None);
        assert_eq!(asks(&on_miss, &shell("ls")).unwrap(), "'ls' is not on the list of programs in the settings.");
        assert!(asks(&on_miss, &shell("git $(x)")).is_some());
        assert!(asks(&policy(ExecSecurity::Full, ExecAsk::Always), &shell("git log")).is_some());
    }
}
