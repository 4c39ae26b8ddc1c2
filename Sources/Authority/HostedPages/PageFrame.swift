public import FlowModel
public import Localization

/// Everything around the content of a page: its looks, its language, and where its files are.
public struct PageFrame: Sendable {
    /// The looks.
    public let brand: PageBrand
    /// The sentences, in the page's language.
    public let texts: PageTexts
    /// The path of the folder in which ``PageAsset`` stand, without a slash at its end, for example `/assets`.
    public let assets: String
    /// The same page in other languages, for the foot of the page.
    public let otherLanguages: [LanguageLink]

    /// A link to the same page in another language.
    public struct LanguageLink: Hashable, Sendable {
        /// The other language.
        public let language: LanguageTag
        /// The address of the page in it, relative or absolute.
        public let address: String

        /// Links to a page in another language.
        public init(_ language: LanguageTag, address: String) {
            self.language = language
            self.address = address
        }
    }

    /// Everything around the content of a page.
    public init(brand: PageBrand, texts: PageTexts, assets: String, otherLanguages: [LanguageLink] = []) {
        self.brand = brand
        self.texts = texts
        self.assets = assets
        self.otherLanguages = otherLanguages
    }

    /// The path of a file.
    func path(_ asset: PageAsset) -> String { "\(assets)/\(asset.name)" }
}
