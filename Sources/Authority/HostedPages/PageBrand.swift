public import Policies

/// The looks of a policy's pages, and the files that they need.
public struct PageBrand: Hashable, Sendable {
    /// The name at the top of the card and in the browser's tab.
    public let title: String
    /// The operator's own page around the card.
    let template: PageTemplate?
    /// The policy's colours and background.
    let sheet: PageAsset?
    let logo: PageAsset?
    let templateSheet: PageAsset?
    private let background: PageAsset?

    /// The looks that a policy's `pages:` ask for.
    public init(_ policy: Policy) {
        let look = policy.pages
        title = look.title
        template = look.template
        logo = look.logo.map { PageAsset(stem: "logo", $0) }
        templateSheet = look.template?.sheet.map { PageAsset(stem: "template", $0) }
        background =
            switch look.background {
            case .picture(let file): PageAsset(stem: "background", file)
            case .colour, nil: nil
            }
        sheet = Self.sheet(look, background)
    }

    /// The looks of pages that belong to no policy.
    public init(title: String) {
        self.title = title
        template = nil
        sheet = nil
        logo = nil
        templateSheet = nil
        background = nil
    }

    /// The files of the policy, which are served beside ``PageAsset/shared``.
    public var assets: [PageAsset] { [sheet, logo, background, templateSheet].compactMap { $0 } }

    /// The sheet of the policy's colours; nil if they are the pages' own.
    private static func sheet(_ look: PageLook, _ background: PageAsset?) -> PageAsset? {
        var rules: [String] = []
        if look.accent != .preset {
            let (light, dark) = (look.accent.light, look.accent.dark)
            rules.append(":root{--accent:\(light.background);--on-accent:\(light.text)}")
            rules.append(
                "@media (prefers-color-scheme:dark){:root{--accent:\(dark.background);--on-accent:\(dark.text)}}"
            )
        }
        // A person's own page has text on the ground itself, so it keeps the ground that the text is made for.
        switch look.background {
        case .colour(let colour):
            rules.append("body:has(main.card){--page:\(colour);--backdrop:none;--foot:var(--card)}")
        case .picture:
            let name = background?.name ?? ""
            rules.append("body:has(main.card){--backdrop:url(\(name));--foot:var(--card)}")
        case nil: break
        }
        guard !rules.isEmpty else { return nil }
        let text = rules.joined(separator: "\n") + "\n"
        return PageAsset(stem: "brand", ending: "css", mediaType: "text/css; charset=utf-8", bytes: Array(text.utf8))
    }
}
