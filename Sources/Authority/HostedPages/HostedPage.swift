/// A page that a person meets at the authority.
public enum HostedPage: Sendable {
    /// The open step of a flow.
    case step(StepPage)
    /// A question that is answered with yes or no: a device, signing out.
    case decision(DecisionPage)
    /// The two words that a terminal shows.
    case words(WordsPage)
    /// The code that a device shows.
    case deviceCode(DeviceCodePage)
    /// A person's own page.
    case account(AccountPage)
    /// An answer that a form carries to a client.
    case answer(AnswerPage)
    /// News, with links to go on.
    case notice(NoticePage)
    /// An error.
    case error(ErrorPage)

    /// Renders the page.
    ///
    /// - Parameter frame: Everything around the content.
    /// - Returns: A whole document of HTML without a script or a style of its own; equal values give equal text.
    public func html(in frame: PageFrame) -> String {
        Templates.render("layout", face.values(in: frame))
    }

    private var face: any PageFace {
        switch self {
        case .step(let page): page
        case .decision(let page): page
        case .words(let page): page
        case .deviceCode(let page): page
        case .account(let page): page
        case .answer(let page): page
        case .notice(let page): page
        case .error(let page): page
        }
    }
}
