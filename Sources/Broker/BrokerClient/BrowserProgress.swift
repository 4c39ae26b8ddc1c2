public import BrokerAPI
public import FlowModel

/// The progress of a flow that a browser continues.
public enum BrowserProgress: Sendable {
    /// The flow waits at this place, until a time in milliseconds since 1970 UTC.
    case waits(BrowserPlace, until: Int64)
    /// A browser of another user, or of another machine, opened the link of the flow.
    case opened(LinkOpener)
    /// The flow has changed, and may have ended.
    case changed(FlowDocument)
}
