//! The types that a gRPC system describes of itself, as its reflection answers.
//!
//! Their number, names and nesting are the system's to choose, and checking them takes more time and memory than they have
//! bytes. So they are read in a process of their own: bounded, reduced to what messages are read and written
//! by, put together once, and written out anew. The server decodes what was written out, and nothing that the system sent.
//!
//! Protocol: <https://github.com/grpc/grpc/blob/master/doc/server-reflection.md>. v1alpha has v1's messages.

mod described;

use prost::Message;
use prost_reflect::DescriptorPool;
use prost_types::FileDescriptorSet;
use serde::{Deserialize, Serialize};

use self::described::Files;
use satchel_model::{
    error::{Error, Result},
    protobuf,
    text::clip,
};

/// The status of a type that a system does not know.
const NOT_FOUND: i32 = 5;
/// Most characters of the system's words.
const WORDS: usize = 2_000;

/// Most services of a system.
const MOST_SERVICES: usize = 200;
/// Most fields of an answer that names services, and messages in messages there.
const MOST_NAMED: (usize, usize) = (10_000, 10);

/// The content of a system's reflection answers.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypesRead {
    /// The names of the system's services, reflection's own left out.
    Services(Vec<String>),
    /// The types are whole: an encoded set of the files that are new comes with this.
    Whole,
    /// These files are to be asked for, too.
    Missing(Vec<String>),
    /// The system does not know the type.
    Unknown,
}

/// An answer of reflection, as far as it tells of services and types.
#[derive(Clone, PartialEq, prost::Message)]
struct Answer {
    #[prost(message, optional, tag = "4")]
    found: Option<Found>,
    #[prost(message, optional, tag = "6")]
    named: Option<Named>,
    #[prost(message, optional, tag = "7")]
    refused: Option<Refused>,
}

/// Files, each encoded.
#[derive(Clone, PartialEq, prost::Message)]
struct Found {
    #[prost(bytes = "vec", repeated, tag = "1")]
    files: Vec<Vec<u8>>,
}

/// The services there are.
#[derive(Clone, PartialEq, prost::Message)]
struct Named {
    #[prost(message, repeated, tag = "1")]
    services: Vec<Service>,
}

/// A service.
#[derive(Clone, PartialEq, prost::Message)]
struct Service {
    #[prost(string, tag = "1")]
    name: String,
}

/// The words of a system that does not tell.
#[derive(Clone, PartialEq, prost::Message)]
struct Refused {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    words: String,
}

/// Reads all answers of a system's reflection about one type, or about its services, after a first content that holds the
/// types that are known beside those known everywhere. Returns what they came to, and the set of the files that are new.
///
/// # Errors
///
/// If they hold more than is read, cannot be read, or do not fit together; if the system refuses.
pub fn read(contents: &[Vec<u8>]) -> Result<(TypesRead, Vec<u8>)> {
    let (known, answers) = contents.split_first().ok_or_else(|| Error::internal("no types that are known"))?;
    let mut pool = DescriptorPool::global();
    pool.decode_file_descriptor_set(known.as_slice()).map_err(unfit)?;
    let mut files = Files::default();
    for bytes in answers {
        let answer = Answer::decode(bytes.as_slice()).map_err(|error| something_else().caused_by(error))?;
        match answer {
            Answer { found: Some(found), .. } => files.keep(found.files)?,
            Answer { named: Some(named), .. } => return Ok((services(bytes, named)?, Vec::new())),
            Answer { refused: Some(refused), .. } if refused.code == NOT_FOUND && files.is_empty() => {
                return Ok((TypesRead::Unknown, Vec::new()));
            }
            Answer { refused: Some(refused), .. } => return Err(self::refused(&refused.words)),
            Answer { .. } => {}
        }
    }
    let missing = files.missing(&pool)?;
    if !missing.is_empty() {
        return Ok((TypesRead::Missing(missing), Vec::new()));
    }
    Ok((TypesRead::Whole, files.join(pool)?.encode_to_vec()))
}

/// Returns the names of the services that an answer has.
fn services(answer: &[u8], named: Named) -> Result<TypesRead> {
    let (mut fields, deepest) = MOST_NAMED;
    protobuf::take_fields(answer, &mut fields, deepest).ok_or_else(too_many)?;
    let mut names: Vec<String> = named.services.into_iter().map(|service| service.name).collect();
    names.retain(|name| !name.starts_with("grpc.reflection."));
    ensure_few(&names)?;
    Ok(TypesRead::Services(names))
}

/// # Errors
///
/// If these are more services, or longer names, than are taken of a system.
pub fn ensure_few(services: &[String]) -> Result<()> {
    let is_longest = services.iter().any(|name| name.len() > WORDS);
    if is_longest || services.len() > MOST_SERVICES { Err(too_many()) } else { Ok(()) }
}

/// Returns the types that are known, and with them those of an encoded set that [`read`] has given. What it may hold is
/// counted once more, for what a reader writes is no more to be trusted than what it has read.
///
/// # Errors
///
/// If they do not fit together, or are more than are read of a service.
pub fn add(mut pool: DescriptorPool, set: &[u8]) -> Result<DescriptorPool> {
    pool.add_file_descriptor_set(described::recounted(set)?).map_err(unfit)?;
    Ok(pool)
}

/// The files of these types but those known everywhere, as an encoded set.
pub fn known(pool: &DescriptorPool) -> Vec<u8> {
    let everywhere = DescriptorPool::global();
    let own = pool.file_descriptor_protos().filter(|file| everywhere.get_file_by_name(file.name()).is_none());
    FileDescriptorSet { file: own.cloned().collect() }.encode_to_vec()
}

/// The error of a system that does not tell of its types, with its words.
fn refused(words: &str) -> Error {
    Error::upstream(format!("The system does not describe its types: {}", clip(words, WORDS)))
}

/// The error of a system that answers a question with what is no answer to it.
fn something_else() -> Error {
    Error::upstream("The system's reflection answers with something else.")
}

fn too_many() -> Error {
    Error::upstream(format!("The system has more than {MOST_SERVICES} services, or longer names, which is too much."))
}

fn unfit(error: prost_reflect::DescriptorError) -> Error {
    Error::upstream("The types the system describes do not fit together.").caused_by(error)
}

#[cfg(test)]
mod tests {
    use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

    use super::*;

    /// An answer with a file, which has a message and may import another one.
    fn telling(file: &str, message: &str, import: Option<&str>) -> Vec<u8> {
        let message = DescriptorProto { name: Some(message.to_owned()), ..Default::default() };
        let file = FileDescriptorProto {
            name: Some(file.to_owned()),
            dependency: import.map(str::to_owned).into_iter().collect(),
            message_type: vec![message],
            ..Default::default()
        };
        Answer { found: Some(Found { files: vec![file.encode_to_vec()] }), ..Default::default() }.encode_to_vec()
    }

    #[test]
    fn what_a_system_does_not_tell_is_asked_for_or_told() {
        let refusal = |code| {
            let refused = Some(Refused { code, words: "not today".to_owned() });
            Answer { refused, ..Default::default() }.encode_to_vec()
        };
        assert_eq!(read(&[Vec::new(), refusal(NOT_FOUND)]).unwrap().0, TypesRead::Unknown);
        assert!(read(&[Vec::new(), refusal(7)]).unwrap_err().message().ends_with("its types: not today"));
        let first = telling("a", "M", Some("b"));
        assert_eq!(read(&[Vec::new(), first.clone()]).unwrap().0, TypesRead::Missing(vec!["b".to_owned()]));
        let (whole, set) = read(&[Vec::new(), first, telling("b", "Other", None)]).unwrap();
        assert_eq!(whole, TypesRead::Whole);
        let pool = add(DescriptorPool::global(), &set).unwrap();
        // What is known already need not be told of again.
        let (again, set) = read(&[known(&pool), telling("c", "Last", Some("b"))]).unwrap();
        assert_eq!(again, TypesRead::Whole);
        let pool = add(pool, &set).unwrap();
        assert!(["M", "Other", "Last"].iter().all(|name| pool.get_message_by_name(name).is_some()));
    }

    fn naming(names: impl IntoIterator<Item = String>) -> Vec<u8> {
        let services = names.into_iter().map(|name| Service { name }).collect();
        Answer { named: Some(Named { services }), ..Default::default() }.encode_to_vec()
    }

    #[test]
    fn services_are_named_as_far_as_they_are_few() {
        let names = ["a.B".to_owned(), "grpc.reflection.v1.ServerReflection".to_owned()];
        let (named, set) = read(&[Vec::new(), naming(names)]).unwrap();
        assert_eq!((named, set), (TypesRead::Services(vec!["a.B".to_owned()]), Vec::new()));
        for names in [vec![String::new(); 201], vec!["a".repeat(2_001)], vec![String::new(); 200_000]] {
            assert!(read(&[Vec::new(), naming(names)]).unwrap_err().message().contains("more than 200 services"));
        }
    }

    #[test]
    fn what_a_reader_writes_is_counted_once_more() {
        let field = |number| FieldDescriptorProto {
            name: Some(format!("f{number}")),
            number: Some(number),
            ..Default::default()
        };
        let with = |message: DescriptorProto| {
            let file =
                FileDescriptorProto { name: Some("x".to_owned()), message_type: vec![message], ..Default::default() };
            add(DescriptorPool::global(), &FileDescriptorSet { file: vec![file] }.encode_to_vec())
        };
        let named = |name: &str| DescriptorProto { name: Some(name.to_owned()), ..Default::default() };
        let deep = (0..40).fold(named("M"), |inner, _| DescriptorProto { nested_type: vec![inner], ..named("M") });
        let many = DescriptorProto { field: (1..=130_000).map(field).collect(), ..named("M") };
        for message in [deep, many, named(&"M".repeat(5_000))] {
            assert!(with(message).unwrap_err().message().contains("more than is read"));
        }
        assert!(with(named("M")).is_ok());
        let bytes = add(DescriptorPool::global(), b"\xff\xff\xff").unwrap_err();
        assert!(bytes.message().contains("more than is read") || bytes.message().contains("cannot be read"), "{bytes}");
    }
}
