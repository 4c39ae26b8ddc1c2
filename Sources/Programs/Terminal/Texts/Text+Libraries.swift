package import FlowModel
import Localization

extension Text {
    /// Translates a message from a library or server, or uses its English text if the catalogs lack its key.
    package init(_ said: EnglishText) {
        self = said.text.isInCatalog ? said.text : Text(exactly: said.english)
    }
}
