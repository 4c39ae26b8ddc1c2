public import OAuth

/// Describes a problem as a predicate that follows the name of the address's field, such as `must not have a fragment`.
extension AddressProblem: TextParameter {
    /// The description of the problem, for use as the value of a placeholder in another sentence.
    public var textValue: Text.Value { .text(text) }

    /// The catalog text that describes the problem.
    public var text: Text {
        switch self {
        case .notHTTPS: Text("refusal.address.notHTTPS")
        case .notHTTP: Text("refusal.address.notHTTP")
        case .hasUser: Text("refusal.address.hasUser")
        case .hasFragment: Text("refusal.address.hasFragment")
        case .hasQuery: Text("refusal.address.hasQuery")
        case .otherPort: Text("refusal.address.otherPort")
        case .unprotected: Text("refusal.address.unprotected")
        case .unprotectedText(let text): Text("refusal.address.unprotectedText", ["text": text])
        case .linkLocal: Text("refusal.address.linkLocal")
        case .portInPath(let text, let corrected):
            Text("refusal.address.portInPath", ["text": text, "corrected": corrected])
        case .capitals(let text, let corrected):
            Text("refusal.address.capitals", ["text": text, "corrected": corrected])
        case .metadataPath(let text, let corrected):
            Text("refusal.address.metadataPath", ["text": text, "corrected": corrected])
        case .hasPath(let text, let corrected): Text("refusal.address.hasPath", ["text": text, "corrected": corrected])
        case .endsInSlash(let text, let corrected):
            Text("refusal.address.endsInSlash", ["text": text, "corrected": corrected])
        case .outOfBand: Text("refusal.address.outOfBand")
        case .tooLong(let most): Text("refusal.address.tooLong", ["most": most])
        case .notWhole: Text("refusal.address.notWhole")
        case .noHost: Text("refusal.address.noHost")
        case .notLoopback: Text("refusal.address.notLoopback")
        case .otherScheme: Text("refusal.address.otherScheme")
        }
    }
}
