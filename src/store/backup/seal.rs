//! Sealing and opening: age recipients, identities and passphrases, and the key Satchel makes for itself.
#![expect(clippy::disallowed_methods, reason = "keys of backups are the store's own files")]

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    iter,
    path::{Path, PathBuf},
};

use age::{
    DecryptError, Decryptor, EncryptError, Encryptor, Identity, scrypt,
    secrecy::{ExposeSecret, SecretString},
    stream::{StreamReader, StreamWriter},
    x25519,
};

use super::{
    copy::new_private,
    fault,
    stage::move_new,
    write::{Scrap, sync_dir},
};
use satchel_model::{
    backup::SealedTo,
    error::{Error, Result},
    secret::Secret,
};

/// The beginning of an age file.
const HEAD: &[u8] = b"age-encryption.org/v1";
/// Of a passphrase's scrypt: 2^16 rounds take 64 MiB, what a small machine has to spare.
const WORK: u8 = 16;
/// The most an opener takes on: 2^20 rounds are 1 GiB.
const MOST_WORK: u8 = 20;
/// Least characters of a passphrase: the file may lie anywhere, and be tried for ever.
const SHORTEST: usize = 12;
/// The key's file in a data directory.
const OWN_KEY: &str = "backup.key";
/// Longest file of a key or a passphrase.
const LONGEST: u64 = 64 * 1024;

/// To whom a backup is sealed.
pub enum Seal {
    /// A public key, and whose it is.
    Key(x25519::Recipient, SealedTo),
    /// A passphrase.
    Passphrase(Secret),
}

impl Seal {
    /// To an age recipient, `age1…`.
    pub fn recipient(text: &str) -> Result<Self> {
        let shown: String = text.trim().chars().take(12).collect();
        let parsed = text.trim().parse::<x25519::Recipient>();
        let parsed = parsed.map_err(|why| {
            Error::invalid(format!(
                "'{shown}…' is no age recipient ({why}): it begins with age1, and `age-keygen` prints one with its key."
            ))
        })?;
        Ok(Self::Key(parsed, SealedTo::Recipient))
    }

    /// To who knows a passphrase.
    pub fn passphrase(passphrase: Secret) -> Result<Self> {
        match passphrase.expose().chars().count() {
            0..SHORTEST => Err(Error::invalid(format!(
                "The backup's passphrase is too short: {SHORTEST} characters are the least."
            ))),
            _ => Ok(Self::Passphrase(passphrase)),
        }
    }

    /// To the key Satchel keeps in the data directory, which is made where there is none.
    pub fn own_key(data: &Path) -> Result<Self> {
        if let Some(identity) = own_identity(data)? {
            return Ok(Self::Key(identity.to_public(), SealedTo::OwnKey));
        }
        let made = x25519::Identity::generate();
        match write_key(&data.join(OWN_KEY), &made) {
            Ok(()) => Ok(Self::Key(made.to_public(), SealedTo::OwnKey)),
            // Somebody else made one at the same time: theirs is the one.
            Err(error) => match own_identity(data)? {
                Some(identity) => Ok(Self::Key(identity.to_public(), SealedTo::OwnKey)),
                None => Err(error),
            },
        }
    }

    /// Who can open it.
    pub fn sealed_to(&self) -> SealedTo {
        match self {
            Self::Key(_, whose) => *whose,
            Self::Passphrase(_) => SealedTo::Passphrase,
        }
    }

    /// The public key it is sealed to, if to one.
    pub(super) fn recipient_text(&self) -> Option<String> {
        match self {
            Self::Key(recipient, _) => Some(recipient.to_string()),
            Self::Passphrase(_) => None,
        }
    }

    /// Everything written to what this returns goes to `out` encrypted, once it was finished.
    pub(super) fn wrap<W: Write>(&self, out: W) -> io::Result<StreamWriter<W>> {
        let encryptor = match self {
            Self::Key(recipient, _) => Encryptor::with_recipients(iter::once(recipient as _)),
            Self::Passphrase(passphrase) => {
                let mut recipient = scrypt::Recipient::new(SecretString::from(passphrase.expose().to_owned()));
                recipient.set_work_factor(WORK);
                Encryptor::with_recipients(iter::once(&recipient as _))
            }
        };
        encryptor.map_err(|e: EncryptError| io::Error::other(e.to_string()))?.wrap_output(out)
    }
}

/// The keys or the passphrase a backup is opened with.
#[derive(Clone)]
pub enum Opener {
    /// Identities, `AGE-SECRET-KEY-1…`.
    Keys(Vec<x25519::Identity>),
    /// A passphrase.
    Passphrase(Secret),
}

impl Opener {
    /// The identities in the text of a key file: a line each, `#` begins a comment.
    pub fn identities(text: &str) -> Result<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parsed: std::result::Result<Vec<x25519::Identity>, _> = lines.map(str::parse).collect();
        match parsed {
            Ok(keys) if !keys.is_empty() => Ok(Self::Keys(keys)),
            _ => Err(Error::invalid(
                "This is no key of a backup: it must hold a line that begins with AGE-SECRET-KEY-1, as `age-keygen` \
                 and Satchel write it.",
            )),
        }
    }

    /// The identities of a key file.
    pub fn identity_file(path: &Path) -> Result<Self> {
        Self::identities(small_text(path)?.expose())
            .map_err(|error| Error::invalid(format!("{}: {}", path.display(), error.message())))
    }

    /// The opener of a file where nobody named one: a key beside it, or the one of the data directory.
    pub fn beside(file: &Path, data: &Path) -> Result<Self> {
        let parent = file.parent().unwrap_or(Path::new(""));
        let found: Vec<PathBuf> = [key_beside(file), parent.join(OWN_KEY), data.join(OWN_KEY)]
            .into_iter()
            .filter(|path| path.is_file())
            .collect();
        let keys = found.iter().map(|path| match Self::identity_file(path)? {
            Self::Keys(keys) => Ok(keys),
            Self::Passphrase(_) => Ok(Vec::new()),
        });
        let keys: Vec<x25519::Identity> = keys.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        // Without any the file is opened all the same: what is wrong with it counts more than what it is opened with.
        Ok(Self::Keys(keys))
    }

    /// The key a data directory keeps for its backups.
    pub fn own_key(data: &Path) -> Result<Self> {
        let path = data.join(OWN_KEY);
        match own_identity(data)? {
            Some(identity) => Ok(Self::Keys(vec![identity])),
            None => Err(Error::not_found(format!(
                "{} is gone: put it back, or verify the file with `satchel backup verify FILE --identity KEYFILE`.",
                path.display()
            ))),
        }
    }

    /// Decrypts what `input` holds. Fails in one sentence where it is no age file, or not for this key.
    pub(super) fn open<R: BufRead>(&self, mut input: R) -> Result<StreamReader<R>> {
        let begun = input.fill_buf().map_err(Error::internal)?;
        if !begun.iter().zip(HEAD).all(|(found, wanted)| found == wanted) {
            return Err(wrong("The file is no backup of Satchel: it is not an age file."));
        }
        let decryptor = Decryptor::new(input).map_err(refused)?;
        let opened = match (self, decryptor.is_scrypt()) {
            (Self::Keys(_), true) => {
                return Err(wrong("The backup is sealed with a passphrase: give it with --passphrase-file."));
            }
            (Self::Passphrase(_), false) => {
                return Err(wrong(
                    "The backup is sealed to a key, not with a passphrase: give the key with --identity.",
                ));
            }
            (Self::Keys(keys), false) if keys.is_empty() => {
                return Err(wrong(
                    "Say what opens the backup: --identity with the key's file, or --passphrase-file. No key lies beside it.",
                ));
            }
            (Self::Keys(keys), false) => decryptor.decrypt(keys.iter().map(|key| key as &dyn Identity)),
            (Self::Passphrase(passphrase), true) => {
                let mut identity = scrypt::Identity::new(SecretString::from(passphrase.expose().to_owned()));
                identity.set_max_work_factor(MOST_WORK);
                decryptor.decrypt(iter::once(&identity as _))
            }
        };
        opened.map_err(|error| match (error, self) {
            (DecryptError::NoMatchingKeys | DecryptError::DecryptionFailed, Self::Keys(_)) => {
                wrong("The key does not open this backup: it was sealed to another one.")
            }
            (DecryptError::NoMatchingKeys | DecryptError::DecryptionFailed, Self::Passphrase(_)) => {
                wrong("The passphrase does not open this backup.")
            }
            (error, _) => refused(error),
        })
    }

    /// Keeps the key of this recipient as the data directory's own.
    pub(super) fn keep(&self, data: &Path, recipient: &str) -> Result<()> {
        let Self::Keys(keys) = self else { return Ok(()) };
        match keys.iter().find(|key| key.to_public().to_string() == recipient) {
            Some(key) => write_key(&data.join(OWN_KEY), key),
            None => Ok(()),
        }
    }
}

fn wrong(told: &str) -> Error {
    Error::invalid(told)
}

fn refused(error: DecryptError) -> Error {
    let told = match &error {
        DecryptError::ExcessiveWork { .. } => {
            "The passphrase of this file asks for more work than is safe: it was not made by Satchel."
        }
        DecryptError::UnknownFormat => "The file is of a newer version of age than this Satchel knows.",
        DecryptError::InvalidMac => "The backup is damaged: its head was changed.",
        DecryptError::Io(io) if io.kind() == io::ErrorKind::UnexpectedEof => {
            "The file is no whole backup: it ends within its head. Take another copy of it."
        }
        _ => "The file is no backup of Satchel: its head is damaged.",
    };
    Error::invalid(told).caused_by(error.to_string())
}

/// The place of a key that is written beside a backup.
pub fn key_beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".key");
    PathBuf::from(name)
}

/// Makes a new key, writes it to a file of its own that must not be there yet, and returns its recipient.
pub fn new_key_file(path: &Path) -> Result<String> {
    let identity = x25519::Identity::generate();
    write_key(path, &identity)?;
    Ok(identity.to_public().to_string())
}

/// Removes a key no backup was made with.
pub fn drop_key_file(path: &Path) {
    // What stays opens nothing.
    let _ = fs::remove_file(path);
}

/// The text of the data directory's own key, to be kept elsewhere; made where there is none.
pub fn own_key_text(data: &Path) -> Result<Secret> {
    Seal::own_key(data)?;
    small_text(&data.join(OWN_KEY))
}

/// A passphrase from a file: its first line.
pub fn passphrase_file(path: &Path) -> Result<Secret> {
    let text = small_text(path)?;
    let line = text.expose().lines().next().unwrap_or_default().to_owned();
    match line.is_empty() {
        true => Err(Error::invalid(format!("{} is empty: its first line must be the passphrase.", path.display()))),
        false => Ok(Secret::new(line)),
    }
}

fn own_identity(data: &Path) -> Result<Option<x25519::Identity>> {
    let path = data.join(OWN_KEY);
    if !path.exists() {
        return Ok(None);
    }
    match Opener::identity_file(&path)? {
        Opener::Keys(keys) => Ok(keys.into_iter().next()),
        Opener::Passphrase(_) => Ok(None),
    }
}

fn write_key(path: &Path, identity: &x25519::Identity) -> Result<()> {
    let text = format!(
        "# opens backups of Satchel; keep it apart from them\n# public key: {}\n{}\n",
        identity.to_public(),
        identity.to_string().expose_secret()
    );
    // Under its own name it is whole or not there: half a key would be in the way of every other.
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".{:08x}", rand::random::<u32>()));
    let fresh = Scrap(PathBuf::from(fresh));
    let written =
        new_private(&fresh.0).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.and_then(|()| move_new(&fresh.0, path)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Error::conflict(format!(
            "{} is there already, and may be the key of another backup: choose another name.",
            path.display()
        )),
        _ => fault::unwritable(path, error),
    })?;
    sync_dir(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

fn small_text(path: &Path) -> Result<Secret> {
    let file = fs::File::open(path).map_err(|e| fault::unreadable(path, e))?;
    let mut text = String::new();
    let read = BufReader::new(file).take(LONGEST).read_to_string(&mut text);
    read.map_err(|_| Error::invalid(format!("{} cannot be read as text.", path.display())))?;
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(seal: &Seal) -> Vec<u8> {
        let mut writer = seal.wrap(Vec::new()).unwrap();
        writer.write_all(b"hello").unwrap();
        writer.finish().unwrap()
    }

    fn opened(opener: &Opener, bytes: &[u8]) -> Result<String> {
        let mut text = String::new();
        opener.open(bytes)?.read_to_string(&mut text).map_err(Error::internal)?;
        Ok(text)
    }

    #[test]
    fn what_is_sealed_to_a_key_opens_with_that_key_alone() {
        let dir = tempfile::tempdir().unwrap();
        let recipient = new_key_file(&dir.path().join("a.key")).unwrap();
        new_key_file(&dir.path().join("b.key")).unwrap();
        let bytes = sealed(&Seal::recipient(&recipient).unwrap());
        let with = |name: &str| opened(&Opener::identity_file(&dir.path().join(name)).unwrap(), &bytes);
        assert_eq!(with("a.key").unwrap(), "hello");
        assert!(with("b.key").unwrap_err().message().contains("sealed to another one"));
        let phrase = Opener::Passphrase(Secret::new("correct horse battery"));
        assert!(opened(&phrase, &bytes).unwrap_err().message().contains("--identity"));
        assert!(new_key_file(&dir.path().join("a.key")).unwrap_err().message().contains("is there already"));
    }

    #[test]
    fn what_is_sealed_with_a_passphrase_opens_with_it_alone() {
        let bytes = sealed(&Seal::passphrase(Secret::new("correct horse battery")).unwrap());
        let with = |phrase: &str| opened(&Opener::Passphrase(Secret::new(phrase)), &bytes);
        assert_eq!(with("correct horse battery").unwrap(), "hello");
        assert_eq!(with("correct horse staple").unwrap_err().message(), "The passphrase does not open this backup.");
        let Err(error) = Seal::passphrase(Secret::new("short")) else { panic!("taken") };
        assert!(error.message().contains("12 characters"), "{error}");
    }

    #[test]
    fn a_key_is_there_whole_or_not_at_all_and_one_that_was_made_meanwhile_counts() {
        let dir = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        let made: Vec<Option<String>> = std::thread::scope(|scope| {
            let makers: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Seal::own_key(dir.path()).unwrap().recipient_text())).collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert!(made.iter().all(|one| *one == made[0]), "{made:?}");
        assert_eq!(names(), [OWN_KEY]);
        assert!(write_key(&dir.path().join(OWN_KEY), &x25519::Identity::generate()).is_err());
        assert_eq!(names(), [OWN_KEY]);
    }

    #[test]
    fn what_is_no_key_is_refused_in_a_sentence() {
        let Err(error) = Seal::recipient("ssh-ed25519 AAAA") else { panic!("taken") };
        assert!(error.message().contains("begins with age1"), "{error}");
        let Err(error) = Opener::identities("# nothing\n") else { panic!("taken") };
        assert!(error.message().contains("AGE-SECRET-KEY-1"), "{error}");
    }
}
