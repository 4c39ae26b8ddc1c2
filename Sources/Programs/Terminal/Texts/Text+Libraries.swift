package import FlowModel
import Localization

extension Text {
    /// Creates the translated text for a message from a library or server.
    ///
    /// If the catalogs lack the message's key, for example because the server is newer, the English text is used.
    package init(_ said: EnglishText) {
        self = said.text.isInCatalog ? said.text : Text(exactly: said.english)
    }
}
