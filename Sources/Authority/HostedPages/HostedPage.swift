/// A page that the authority shows to a user.
public enum HostedPage: Sendable {
    case step(StepPage)
    /// Prompts the user to approve or deny a device or a sign-out.
    case decision(DecisionPage)
    /// Prompts the user for the two words that a terminal shows.
    case words(WordsPage)
    /// Prompts the user for the code that a device shows.
    case deviceCode(DeviceCodePage)
    case account(AccountPage)
    /// Posts an authorization response to a client.
    case answer(AnswerPage)
    case notice(NoticePage)
    /// Reports an error that cannot be reported to a client.
    case error(ErrorPage)

    /// Returns the complete HTML document of the page, without inline scripts or styles.
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
