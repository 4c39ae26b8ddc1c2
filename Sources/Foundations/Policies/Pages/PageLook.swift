/// The looks of a policy's pages: its `pages:`.
public struct PageLook: Hashable, Sendable, Codable {
    /// The name at the top of pages and in the browser's tab.
    public let title: String
    /// The colour of the main button, of focus and of marks.
    public let accent: AccentColour
    /// The picture beside the title, which takes the place of its first letter.
    public let logo: PageFile?
    /// The ground behind the card.
    public let background: PageBackground?
    /// The operator's own page, into which the card is put.
    public let template: PageTemplate?

    /// Looks; parameters left out are the presets.
    public init(
        title: String = "Tasks",
        accent: AccentColour = .preset,
        logo: PageFile? = nil,
        background: PageBackground? = nil,
        template: PageTemplate? = nil
    ) {
        self.title = title
        self.accent = accent
        self.logo = logo
        self.background = background
        self.template = template
    }
}

/// The ground behind the card of a page.
public enum PageBackground: Hashable, Sendable, Codable {
    /// A colour for both themes, `#rrggbb`.
    case colour(String)
    /// A picture that covers the window.
    case picture(PageFile)
}
