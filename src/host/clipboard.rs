//! The desktop's clipboard, where this machine has a desktop and the binary was built for one.

use satchel_model::error::Result;

/// The clipboard of the desktop the server runs on.
#[derive(Clone)]
pub struct Desktop(imp::Desktop);

impl Desktop {
    /// Finds it; `None` on a server without a desktop.
    pub fn find() -> Option<Self> {
        imp::Desktop::find().map(Self)
    }

    /// Returns the text on it.
    ///
    /// # Errors
    ///
    /// If it holds something else.
    pub async fn read(&self) -> Result<String> {
        self.0.run(imp::read).await
    }

    /// Replaces what it holds.
    pub async fn write(&self, text: String) -> Result<()> {
        self.0.run(move |clipboard| imp::write(clipboard, text)).await
    }
}

#[cfg(feature = "desktop-clipboard")]
mod imp {
    use std::sync::Arc;

    use arboard::Clipboard;
    use parking_lot::Mutex;

    use satchel_model::error::{Error, Kind, Result};

    /// One connection for the server's whole life: on X11 a text is gone when its owner disconnects.
    #[derive(Clone)]
    pub(super) struct Desktop(Arc<Mutex<Clipboard>>);

    impl Desktop {
        pub(super) fn find() -> Option<Self> {
            let found = Clipboard::new().inspect_err(|e| tracing::debug!(error = %e, "there is no desktop clipboard"));
            found.ok().map(|clipboard| Self(Arc::new(Mutex::new(clipboard))))
        }

        pub(super) async fn run<T: Send + 'static>(
            &self,
            work: impl FnOnce(&mut Clipboard) -> Result<T> + Send + 'static,
        ) -> Result<T> {
            let clipboard = Arc::clone(&self.0);
            tokio::task::spawn_blocking(move || work(&mut clipboard.lock())).await.map_err(Error::internal)?
        }
    }

    pub(super) fn read(clipboard: &mut Clipboard) -> Result<String> {
        clipboard.get_text().map_err(|e| explain("The clipboard holds no text. Copy some text first.", e))
    }

    pub(super) fn write(clipboard: &mut Clipboard, text: String) -> Result<()> {
        clipboard.set_text(text).map_err(|e| explain("The desktop's clipboard cannot be written now. Try again.", e))
    }

    fn explain(message: &str, cause: arboard::Error) -> Error {
        Error::new(Kind::Conflict, message).caused_by(cause)
    }
}

#[cfg(not(feature = "desktop-clipboard"))]
mod imp {
    use std::convert::Infallible;

    use super::Result;

    /// Built without one: there is never a value of it.
    #[derive(Clone)]
    pub(super) struct Desktop(Infallible);

    impl Desktop {
        pub(super) fn find() -> Option<Self> {
            None
        }

        pub(super) async fn run<T>(&self, _: impl FnOnce(&mut Infallible) -> Result<T>) -> Result<T> {
            match self.0 {}
        }
    }

    pub(super) fn read(clipboard: &mut Infallible) -> Result<String> {
        match *clipboard {}
    }

    pub(super) fn write(clipboard: &mut Infallible, _: String) -> Result<()> {
        match *clipboard {}
    }
}
