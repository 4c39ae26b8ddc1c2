package import FlowModel
import Localization

extension Text {
    /// The sentence of a library, or of a server, as the catalogs have it; its English words if they lack it, as they lack that
    /// of a newer server.
    package init(_ said: EnglishText) {
        self = said.text.isInCatalog ? said.text : Text(exactly: said.english)
    }
}
