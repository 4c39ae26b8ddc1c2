public import OAuth

/// What is done about a challenge.
public enum Answer: Sendable {
    /// What the person said, by the names of the nodes.
    case fields([String: JSONValue])
    /// Something else than answering, such as `resend` or `back`.
    case action(String, value: String? = nil)

    /// The same, where everything is text.
    public static func texts(_ fields: [String: String]) -> Answer {
        .fields(fields.mapValues(JSONValue.string))
    }
}
