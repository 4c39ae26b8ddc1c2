public import FlowModel
public import Localization

/// The frame around a page's content, with the branding, the language and the location of static files.
public struct PageFrame: Sendable {
    /// The branding of the page.
    public let brand: PageBrand
    /// The catalog sentences in the page's language.
    public let texts: PageTexts
    /// The path of the folder that contains the ``PageAsset`` files, without a trailing slash, for example `/assets`.
    public let assets: String
    /// The links to the page in other languages, shown in the footer.
    public let otherLanguages: [LanguageLink]

    /// A link to the page in another language.
    public struct LanguageLink: Hashable, Sendable {
        /// The language of the linked page.
        public let language: LanguageTag
        /// The address of the page in this language, relative or absolute.
        public let address: String

        /// Creates a link to the page in another language.
        public init(_ language: LanguageTag, address: String) {
            self.language = language
            self.address = address
        }
    }

    /// Creates a frame for the pages of one request.
    public init(brand: PageBrand, texts: PageTexts, assets: String, otherLanguages: [LanguageLink] = []) {
        self.brand = brand
        self.texts = texts
        self.assets = assets
        self.otherLanguages = otherLanguages
    }

    func path(_ asset: PageAsset) -> String { "\(assets)/\(asset.name)" }
}
