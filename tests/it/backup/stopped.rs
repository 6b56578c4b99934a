//! Restoring and drills that are stopped or killed, or meet somebody else: nothing that was decrypted stays.

#![expect(clippy::disallowed_methods, reason = "starts the binary and looks at what it leaves")]

use std::{
    fs::{self, File},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::{Duration, SystemTime},
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

use super::made::tree;
use crate::support::program::{Home, binary};

const PATIENCE: Duration = Duration::from_secs(120);

/// A backup that takes a moment to open, and the file of its passphrase.
async fn slow_backup(home: &Home, out: &Path) -> (String, String) {
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    fs::write(path("phrase"), "correct horse battery\n").unwrap();
    let made = home.run(&["backup", &path("x.age"), "--passphrase-file", &path("phrase"), "--with-key"]).await;
    assert_eq!(made.code, 0, "{made:?}");
    (path("x.age"), path("phrase"))
}

/// A command, and where its work shows: in this directory, under a name that holds this.
struct Work<'a> {
    words: &'a [&'a str],
    data: &'a Path,
    tmp: &'a Path,
    place: &'a Path,
    name: &'a str,
}

impl Work<'_> {
    fn start(&self) -> Child {
        let mut command = Command::new(binary());
        command.args(self.words).args(["--data", self.data.to_str().unwrap()]).env_clear().env("TMPDIR", self.tmp);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
    }

    /// Stops it in the middle with a signal, once `look` has seen where it works, and gives its exit code. On a busy machine
    /// it may be done before: then it is started anew.
    async fn stop(&self, signal: Signal, look: &dyn Fn(&Path, u32)) -> i32 {
        let makes_data = !self.data.exists();
        for _ in 0..20 {
            let mut child = self.start();
            let id = child.id().unwrap();
            if let Some(found) = self.appears(&mut child).await {
                look(&found, id);
                // Nobody has waited for it yet: the number is still its own.
                kill_process(Pid::from_raw(i32::try_from(id).unwrap()).unwrap(), signal).unwrap();
            }
            let ended = end(child).await;
            if !ended.status.success() {
                let told = String::from_utf8(ended.stderr).unwrap();
                assert!(told.contains("stopped in the middle"), "{told}");
                return ended.status.code().unwrap_or(-1);
            }
            if makes_data && self.data.exists() {
                fs::remove_dir_all(self.data).unwrap();
            }
        }
        panic!("it was done every time before it could be stopped");
    }

    /// Returns the place where it works, as soon as that is there. `None` if it ended before anybody saw it.
    async fn appears(&self, child: &mut Child) -> Option<PathBuf> {
        let found = timeout(PATIENCE, async {
            loop {
                let mut entries = fs::read_dir(self.place).into_iter().flatten().flatten().map(|entry| entry.path());
                let found = entries.find(|path| path.file_name().unwrap().to_str().unwrap().contains(self.name));
                if found.is_some() || child.try_wait().unwrap().is_some() {
                    return found;
                }
                sleep(Duration::from_millis(2)).await;
            }
        });
        found.await.unwrap_or_else(|_| panic!("{} never appears", self.name))
    }
}

async fn end(child: Child) -> Output {
    timeout(PATIENCE, child.wait_with_output()).await.expect("it does not end").unwrap()
}

/// The directory of a drill that ended long ago.
fn abandoned(tmp: &Path, name: &str) -> PathBuf {
    let place = tmp.join(format!("satchel-drill-{name}"));
    fs::DirBuilder::new().mode(0o700).create(&place).unwrap();
    fs::write(place.join("secret.key"), "decrypted").unwrap();
    File::open(&place).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    place
}

#[tokio::test]
async fn a_drill_or_restore_that_is_stopped_leaves_nothing_and_says_so() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    let (file, phrase) = slow_backup(&home, out.path()).await;
    let (tmp, none) = (out.path().join("tmp"), out.path().join("none"));
    fs::create_dir(&tmp).unwrap();
    let verify = ["backup", "verify", &file, "--passphrase-file", &phrase];
    let data = home.path();
    let before: Vec<PathBuf> = tree(&data).into_keys().collect();
    let beside = Work { words: &verify, data: &data, tmp: &tmp, place: &data, name: "drill" };
    assert_eq!(beside.stop(Signal::TERM, &|_, _| {}).await, 143);
    assert_eq!(tree(&data).into_keys().collect::<Vec<_>>(), before);
    // Without a data directory: among temporary files, under a name of its own, which nobody else may enter.
    let apart = Work { words: &verify, data: &none, tmp: &tmp, place: &tmp, name: "satchel-drill-" };
    let is_private = |place: &Path, id: u32| {
        assert!(!place.ends_with(format!("satchel-drill-{id}")), "{place:?} can be guessed");
        // It may be done just now, and then is started anew.
        if let Ok(found) = fs::metadata(place) {
            assert_eq!(found.permissions().mode() & 0o777, 0o700);
        }
    };
    assert_eq!(apart.stop(Signal::INT, &is_private).await, 130);
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
    // What a killed one left goes with the next; what another one works in stays.
    let (killed, held) = (abandoned(&tmp, "killed"), abandoned(&tmp, "held"));
    let lock = File::create(held.join("lock")).unwrap();
    lock.lock().unwrap();
    File::open(&held).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let ended = end(apart.start()).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(!killed.exists() && held.join("secret.key").exists());
    fs::remove_dir_all(&held).unwrap();
    let restore = ["restore", &file, "--passphrase-file", &phrase];
    let restoring = Work { words: &restore, data: &none, tmp: &tmp, place: out.path(), name: ".none.restoring" };
    assert_eq!(restoring.stop(Signal::INT, &|_, _| {}).await, 130);
    assert!(
        fs::read_dir(out.path()).unwrap().all(|entry| !entry.unwrap().file_name().to_str().unwrap().contains("none"))
    );
}

#[tokio::test]
async fn a_start_removes_what_a_killed_drill_left_but_not_one_that_goes_on() {
    let home = Home::new().await;
    let drill = home.path().join("drill");
    fs::create_dir_all(drill.join("copy")).unwrap();
    fs::write(drill.join("copy/secret.key"), "decrypted").unwrap();
    let lock = File::create(drill.join("lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(home.run(&["tools"]).await.code, 0);
    assert!(drill.join("copy/secret.key").exists());
    drop(lock);
    assert_eq!(home.run(&["tools"]).await.code, 0);
    assert!(!drill.exists());
}

#[tokio::test]
async fn the_lock_of_a_drill_is_not_followed_elsewhere() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    let file = out.path().join("x.age");
    assert_eq!(home.run(&["backup", file.to_str().unwrap()]).await.code, 0);
    fs::create_dir(home.path().join("drill")).unwrap();
    std::os::unix::fs::symlink(out.path().join("victim"), home.path().join("drill/lock")).unwrap();
    let told = home.run(&["backup", "verify", file.to_str().unwrap()]).await;
    assert!(told.code == 1 && told.err.contains("is a symbolic link"), "{told:?}");
    assert!(!out.path().join("victim").exists());
}

#[tokio::test]
async fn a_target_that_cannot_be_replaced_is_held_while_it_is_filled() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    let file = out.path().join("x.age");
    assert_eq!(home.run(&["backup", file.to_str().unwrap(), "--with-key"]).await.code, 0);
    let target = out.path().join("disk");
    let restore = async || home.run(&["restore", file.to_str().unwrap(), "--data", target.to_str().unwrap()]).await;
    // As the root of a disk looks, with what a restoring left that was killed.
    fs::create_dir_all(target.join("lost+found")).unwrap();
    fs::DirBuilder::new().mode(0o700).create(target.join(".restoring")).unwrap();
    fs::write(target.join(".restoring/secret.key"), "older").unwrap();
    let lock = File::create(target.join("lock")).unwrap();
    lock.lock().unwrap();
    let told = restore().await;
    assert!(told.code == 1 && told.err.contains("A Satchel is running in"), "{told:?}");
    assert!(!target.join("satchel.db").exists());
    drop(lock);
    let told = restore().await;
    assert_eq!(told.code, 0, "{told:?}");
    assert!(!target.join(".restoring").exists());
    assert_eq!(home.run(&["tools", "--data", target.to_str().unwrap()]).await.code, 0);
}
