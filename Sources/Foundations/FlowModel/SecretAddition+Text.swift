public import OAuth

extension SecretAddition: TextParameter {
    /// The description in the user's language, which is the rest of a sentence.
    public var textValue: Text.Value {
        let text =
            switch self {
            case .byteOrderMark: Text("failure.secret.byteOrderMark")
            case .otherEncoding: Text("failure.secret.otherEncoding")
            case .carriageReturn: Text("failure.secret.carriageReturn")
            case .blank: Text("failure.secret.blank")
            case .quotationMarks: Text("failure.secret.quotationMarks")
            }
        return .text(text)
    }
}
