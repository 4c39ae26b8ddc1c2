import FlowModel

extension Owner {
    /// The uid whose part of this machine's cache the owner uses.
    ///
    /// - Throws: `notPermitted` for a browser, which keeps its tokens itself.
    var cacheUID: UInt32 {
        get throws(Refusal) {
            switch self {
            case .local(_, let uid): uid
            case .browser: throw Refusal(.notPermitted, "a browser has no part of this machine's cache")
            }
        }
    }
}
