//! The length of what a model reads of a result.

/// Most characters between a tool's markers, all that is said of a cut included.
pub const LIMIT: usize = 3_000;
/// Most characters of a result that is not cut: a line break follows the first marker, another comes before the last.
pub(super) const ROOM: usize = LIMIT - 2;

/// Whether a model reads a rendered result whole.
pub fn fits(rendered: &str) -> bool {
    rendered.char_indices().nth(ROOM).is_none()
}
