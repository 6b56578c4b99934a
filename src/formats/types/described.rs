//! The files that a gRPC system tells of, bounded before they are put together, and reduced to what messages are read and
//! written by.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use prost_reflect::DescriptorPool;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumOptions, FieldDescriptorProto, FieldOptions, FileDescriptorProto,
    FileDescriptorSet, MessageOptions, MethodOptions, ServiceDescriptorProto,
};

use super::unfit;
use satchel_model::{
    error::{Error, Result},
    protobuf,
};

/// Most files of one service, imports of imports included.
const MOST_FILES: usize = 1_000;
/// Most imports of all files, those of imports included.
const MOST_IMPORTS: usize = 100_000;
/// Most fields of protobuf in all that is told of one service: decoded, each takes some hundred bytes.
const MOST_FIELDS: usize = 250_000;
/// Messages in messages that are described.
const DEEPEST: usize = 32;
/// Most messages, fields, values and methods of one service, and most bytes of their full names.
const MOST_DEFINITIONS: usize = 20_000;
const MOST_NAMES: usize = 4 << 20;
/// Longest name.
const LONGEST: usize = 500;

/// The files that a system has told of so far.
#[derive(Debug)]
pub(super) struct Files {
    files: BTreeMap<String, FileDescriptorProto>,
    room: Room,
}

impl Default for Files {
    fn default() -> Self {
        let room = Room { fields: MOST_FIELDS, definitions: MOST_DEFINITIONS, names: MOST_NAMES };
        Self { files: BTreeMap::new(), room }
    }
}

impl Files {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Keeps what is needed of these files.
    ///
    /// # Errors
    ///
    /// If one cannot be read, they hold more than is read, or none of them is new.
    pub(super) fn keep(&mut self, found: Vec<Vec<u8>>) -> Result<()> {
        let before = self.files.len();
        for bytes in found {
            protobuf::take_fields(&bytes, &mut self.room.fields, DEEPEST).ok_or_else(too_much)?;
            let mut file = FileDescriptorProto::decode(bytes.as_slice()).map_err(unread)?;
            if !self.files.contains_key(file.name()) {
                self.room.file(&mut file)?;
                self.files.insert(file.name().to_owned(), file);
            }
        }
        if self.files.len() == before {
            return Err(Error::upstream("The system answers with other types than those asked for."));
        }
        Ok(())
    }

    /// Returns which imports are neither told of nor known everywhere.
    ///
    /// # Errors
    ///
    /// If the files are too many.
    pub(super) fn missing(&self, pool: &DescriptorPool) -> Result<Vec<String>> {
        let imports = self.files.values().flat_map(|file| &file.dependency);
        let is_missing = |name: &&String| !self.files.contains_key(*name) && pool.get_file_by_name(name).is_none();
        let missing: BTreeSet<String> = imports.filter(is_missing).cloned().collect();
        if self.files.len() + missing.len() > MOST_FILES {
            return Err(Error::upstream(format!(
                "The service is made of more than {MOST_FILES} files, which is too much."
            )));
        }
        Ok(missing.into_iter().collect())
    }

    /// Returns those of them that are new, as they fit together with the types that are known.
    ///
    /// # Errors
    ///
    /// If they do not fit together, or import each other too often.
    pub(super) fn join(mut self, mut pool: DescriptorPool) -> Result<FileDescriptorSet> {
        self.files.retain(|name, _| pool.get_file_by_name(name).is_none());
        let mut left = MOST_IMPORTS;
        let names = self.files.keys().cloned();
        let imports: Vec<Vec<String>> =
            names.map(|name| self.imports(&name, &pool, &mut left)).collect::<Result<_>>()?;
        for (file, imports) in self.files.values_mut().zip(imports) {
            file.dependency = imports;
        }
        let set = FileDescriptorSet { file: self.files.into_values().collect() };
        pool.add_file_descriptor_set(set.clone()).map_err(unfit)?;
        Ok(set)
    }

    /// Returns what a file imports, the imports of imports included. Which of them are public, through which another file
    /// sees them, is left out: where these go in a circle, resolving them would not end.
    fn imports(&self, of: &str, pool: &DescriptorPool, left: &mut usize) -> Result<Vec<String>> {
        let (mut all, mut next) = (BTreeSet::new(), vec![of.to_owned()]);
        while let Some(name) = next.pop() {
            let own: Vec<String> = match (self.files.get(&name), pool.get_file_by_name(&name)) {
                (Some(file), _) => file.dependency.clone(),
                (None, known) => {
                    known.iter().flat_map(|file| file.dependencies()).map(|file| file.name().to_owned()).collect()
                }
            };
            for import in own.into_iter().filter(|import| import != of) {
                if all.insert(import.clone()) {
                    *left = left.checked_sub(1).ok_or_else(too_much)?;
                    next.push(import);
                }
            }
        }
        Ok(all.into_iter().collect())
    }
}

/// Returns the files of an encoded set as [`Files::join`] gives them: imports of imports are among each one's.
///
/// # Errors
///
/// If it cannot be read, or holds more than is read of a service.
pub(super) fn recounted(set: &[u8]) -> Result<FileDescriptorSet> {
    let (mut fields, definitions) = (MOST_FIELDS + MOST_IMPORTS, MOST_DEFINITIONS + MOST_IMPORTS);
    protobuf::take_fields(set, &mut fields, DEEPEST + 1).ok_or_else(too_much)?;
    let mut set = FileDescriptorSet::decode(set).map_err(unread)?;
    let mut room = Room { fields, definitions, names: MOST_NAMES + MOST_IMPORTS * LONGEST };
    set.file.iter_mut().try_for_each(|file| room.file(file))?;
    Ok(set)
}

fn unread(error: prost::DecodeError) -> Error {
    Error::upstream("The types the system describes cannot be read.").caused_by(error)
}

/// The allowance for what may still be described.
#[derive(Debug)]
struct Room {
    fields: usize,
    definitions: usize,
    names: usize,
}

impl Room {
    /// Keeps of a file what messages are read and written by.
    fn file(&mut self, file: &mut FileDescriptorProto) -> Result<()> {
        self.name(0, file.name())?;
        let scope = self.name(0, file.package())?;
        for import in &file.dependency {
            self.name(0, import)?;
        }
        file.public_dependency.clear();
        file.weak_dependency.clear();
        (file.options, file.source_code_info) = (None, None);
        file.extension.iter_mut().try_for_each(|field| self.field(scope, field))?;
        file.enum_type.iter_mut().try_for_each(|of| self.choice(scope, of))?;
        file.service.iter_mut().try_for_each(|service| self.service(scope, service))?;
        file.message_type.iter_mut().try_for_each(|message| self.message(scope, message))
    }

    fn message(&mut self, scope: usize, message: &mut DescriptorProto) -> Result<()> {
        let scope = self.name(scope, message.name())?;
        message.options =
            message.options.take().map(|had| MessageOptions { map_entry: had.map_entry, ..Default::default() });
        // Numbers that no field may have: the fields there are tell enough, and each would be compared with each.
        message.reserved_range.clear();
        message.reserved_name.clear();
        for range in &mut message.extension_range {
            range.options = None;
            self.name(0, "")?;
        }
        for group in &mut message.oneof_decl {
            group.options = None;
            self.name(scope, group.name())?;
        }
        let fields = message.field.iter_mut().chain(&mut message.extension);
        fields.into_iter().try_for_each(|field| self.field(scope, field))?;
        message.enum_type.iter_mut().try_for_each(|of| self.choice(scope, of))?;
        message.nested_type.iter_mut().try_for_each(|nested| self.message(scope, nested))
    }

    fn field(&mut self, scope: usize, field: &mut FieldDescriptorProto) -> Result<()> {
        self.name(scope, field.name())?;
        for name in [field.type_name(), field.extendee(), field.json_name()] {
            self.text(name.len(), name)?;
        }
        // Whether a field is there is always told, so a default is never shown.
        field.default_value = None;
        field.options = field.options.take().map(|had| FieldOptions { packed: had.packed, ..Default::default() });
        Ok(())
    }

    fn choice(&mut self, scope: usize, of: &mut EnumDescriptorProto) -> Result<()> {
        self.name(scope, of.name())?;
        of.options = of.options.take().map(|had| EnumOptions { allow_alias: had.allow_alias, ..Default::default() });
        of.reserved_range.clear();
        of.reserved_name.clear();
        for value in &mut of.value {
            value.options = None;
            self.name(scope, value.name())?;
        }
        Ok(())
    }

    fn service(&mut self, scope: usize, service: &mut ServiceDescriptorProto) -> Result<()> {
        let scope = self.name(scope, service.name())?;
        service.options = None;
        for method in &mut service.method {
            self.name(scope, method.name())?;
            for name in [method.input_type(), method.output_type()] {
                self.text(name.len(), name)?;
            }
            method.options = method
                .options
                .take()
                .map(|had| MethodOptions { idempotency_level: had.idempotency_level, ..Default::default() });
        }
        Ok(())
    }

    /// Takes room for a definition. Returns the bytes of its full name.
    fn name(&mut self, scope: usize, name: &str) -> Result<usize> {
        self.definitions = self.definitions.checked_sub(1).ok_or_else(too_much)?;
        let whole = scope + 1 + name.len();
        self.text(whole, name)?;
        Ok(whole)
    }

    /// Takes room for so many bytes, which end with this name.
    fn text(&mut self, bytes: usize, name: &str) -> Result<()> {
        let left = self.names.checked_sub(bytes).filter(|_| name.len() <= LONGEST);
        self.names = left.ok_or_else(too_much)?;
        Ok(())
    }
}

fn too_much() -> Error {
    Error::upstream(format!(
        "The system describes more than is read of a service: {MOST_DEFINITIONS} messages, fields, values and methods with \
         names of {LONGEST} bytes, nested up to {DEEPEST} deep."
    ))
}

#[cfg(test)]
mod tests {
    use prost_types::{
        descriptor_proto::ReservedRange, enum_descriptor_proto::EnumReservedRange, field_descriptor_proto::Type,
    };

    use super::{
        super::{Answer, Found, TypesRead, add, read},
        *,
    };

    fn name(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn field(number: i32) -> FieldDescriptorProto {
        let kind = Some(Type::Int32.into());
        FieldDescriptorProto {
            name: Some(format!("f{number}")),
            r#type: kind,
            number: Some(number),
            ..Default::default()
        }
    }

    fn with_fields(count: i32) -> DescriptorProto {
        DescriptorProto { name: name("M"), field: (1..=count).map(field).collect(), ..Default::default() }
    }

    fn file(file: &str, message: DescriptorProto) -> FileDescriptorProto {
        let syntax = name("proto3");
        FileDescriptorProto { name: name(file), syntax, message_type: vec![message], ..Default::default() }
    }

    /// The types of files that a system tells of, once they were read and written out.
    fn joined(files: &[FileDescriptorProto]) -> Result<DescriptorPool> {
        let found = Found { files: files.iter().map(Message::encode_to_vec).collect() };
        let (read, set) = read(&[Vec::new(), Answer { found: Some(found), ..Default::default() }.encode_to_vec()])?;
        assert_eq!(read, TypesRead::Whole);
        add(DescriptorPool::global(), &set)
    }

    #[test]
    fn numbers_that_are_reserved_are_not_compared_with_each_field() {
        let range = ReservedRange { start: Some(1), end: Some(1 << 29) };
        let values = (0..100).map(|number| prost_types::EnumValueDescriptorProto {
            name: Some(format!("V{number}")),
            number: Some(number),
            options: None,
        });
        let choice = EnumDescriptorProto {
            name: name("E"),
            value: values.collect(),
            reserved_range: vec![EnumReservedRange { start: Some(0), end: Some(99) }; 50],
            ..Default::default()
        };
        let message = DescriptorProto {
            reserved_range: vec![range; 20_000],
            reserved_name: vec!["f1".to_owned(); 1_000],
            enum_type: vec![choice],
            ..with_fields(500)
        };
        let pool = joined(&[file("x", message)]).unwrap();
        assert_eq!(pool.get_message_by_name("M").unwrap().fields().len(), 500);
        assert_eq!(pool.get_enum_by_name("M.E").unwrap().values().len(), 100);
    }

    #[test]
    fn what_is_too_much_is_refused_before_it_is_put_together() {
        let refused = |message: DescriptorProto, package: &str| {
            let told = FileDescriptorProto { package: name(package), ..file("x", message) };
            joined(&[told]).unwrap_err().message().to_owned()
        };
        let deep = (0..40).fold(with_fields(1), |inner, _| DescriptorProto {
            name: name("M"),
            nested_type: vec![inner],
            ..Default::default()
        });
        for (message, package) in [
            (with_fields(25_000), "p"),
            (deep, "p"),
            (with_fields(1), &*vec!["a"; 2_000].join(".")),
            (with_fields(10_000), &*vec!["a"; 240].join(".")),
            (DescriptorProto { name: Some("M".repeat(5_000)), ..Default::default() }, "p"),
        ] {
            assert!(refused(message, package).contains("more than is read"));
        }
        let unread = (0..99).fold([0x12, 0].repeat(300_000), |inner, _| {
            let mut outer = vec![0x1a];
            prost::encoding::encode_varint(inner.len() as u64, &mut outer);
            [outer, inner].concat()
        });
        let mut files = Files::default();
        assert!(files.keep(vec![unread]).unwrap_err().message().contains("more than is read"));
    }

    #[test]
    fn imports_may_go_in_a_circle() {
        let importing = |own: &str, other: &str| {
            let (dependency, public) = (vec![own.to_owned(), other.to_owned()], vec![0, 1]);
            let message = DescriptorProto { name: Some(format!("M{own}")), ..Default::default() };
            FileDescriptorProto { dependency, public_dependency: public, ..file(own, message) }
        };
        let (a, b) = (importing("a", "b"), importing("b", "c"));
        let far = FieldDescriptorProto { type_name: name(".Mb"), r#type: None, ..field(1) };
        let message = DescriptorProto { name: name("Mc"), field: vec![far], ..Default::default() };
        let c = FileDescriptorProto { message_type: vec![message], ..importing("c", "a") };
        let pool = joined(&[a, b, c]).unwrap();
        assert!(["Ma", "Mb", "Mc"].iter().all(|name| pool.get_message_by_name(name).is_some()));
    }

    #[test]
    fn what_messages_are_read_by_is_kept() {
        let known = DescriptorPool::global();
        let files = ["google/protobuf/struct.proto", "google/protobuf/descriptor.proto"];
        let told = files.map(|name| known.get_file_by_name(name).unwrap().file_descriptor_proto().clone());
        let mut kept = Files::default();
        kept.keep(told.iter().map(Message::encode_to_vec).collect()).unwrap();
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_set(kept.join(DescriptorPool::new()).unwrap()).unwrap();
        assert!(
            pool.get_message_by_name("google.protobuf.Struct")
                .unwrap()
                .get_field(1)
                .is_some_and(|field| field.is_map())
        );
        let path = pool.get_message_by_name("google.protobuf.SourceCodeInfo.Location").unwrap().get_field(1).unwrap();
        assert!(path.is_packed());
    }
}
