public import Policies

/// The branding of a policy's pages, including its files.
public struct PageBrand: Hashable, Sendable {
    /// The name at the top of the card and in the browser tab.
    public let title: String
    let template: PageTemplate?
    /// The style sheet with the policy's colours and background, or `nil` if the policy uses the defaults.
    let sheet: PageAsset?
    let logo: PageAsset?
    let templateSheet: PageAsset?
    private let background: PageAsset?

    /// Creates the branding that a policy configures under `pages:`.
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

    /// Creates the default branding, for pages that do not belong to a policy.
    public init(title: String) {
        self.title = title
        template = nil
        sheet = nil
        logo = nil
        templateSheet = nil
        background = nil
    }

    /// The policy's own files, which are served in addition to ``PageAsset/shared``.
    public var assets: [PageAsset] { [sheet, logo, background, templateSheet].compactMap { $0 } }

    private static func sheet(_ look: PageLook, _ background: PageAsset?) -> PageAsset? {
        var rules: [String] = []
        if look.accent != .preset {
            let (light, dark) = (look.accent.light, look.accent.dark)
            rules.append(":root{--accent:\(light.background);--on-accent:\(light.text)}")
            rules.append(
                "@media (prefers-color-scheme:dark){:root{--accent:\(dark.background);--on-accent:\(dark.text)}}"
            )
        }
        // On the account page, the text is not on a card. So only pages with a card get the background.
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
