/// The appearance of a policy's pages (`pages:` in the policy file).
public struct PageLook: Hashable, Sendable, Codable {
    /// The title at the top of pages and in the browser tab.
    public let title: String
    /// The colour of the main button, focus rings and markers.
    public let accent: AccentColour
    /// The image beside the title, or `nil` to show the title's first letter.
    public let logo: PageFile?
    /// The background behind the card, or `nil` for the default.
    public let background: PageBackground?
    /// The operator's template for the page that surrounds the card, or `nil` if there is none.
    public let template: PageTemplate?

    /// Creates an appearance with default values for omitted parameters.
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

/// The background behind the card.
public enum PageBackground: Hashable, Sendable, Codable {
    /// A colour for both themes, as `#rrggbb`.
    case colour(String)
    /// An image that covers the window.
    case picture(PageFile)
}
