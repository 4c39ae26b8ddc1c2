public import OAuth

/// The predicate as a sentence of the catalogs, behind the name of what the address is for.
extension AddressProblem: TextParameter {
    /// The predicate, in the language of the whole.
    public var textValue: Text.Value { .text(text) }

    /// The predicate by its key, with its values.
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
        case .capitals(let text): Text("refusal.address.capitals", ["text": text])
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
