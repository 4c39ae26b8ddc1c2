import Foundation
public import OAuth

/// The API that a token is for, as its authority wants it named.
public struct ResourceIndicator: Hashable, Sendable {
    /// The API's name there.
    public let name: String
    /// The parameter that carries it.
    public let parameter: ResourceParameter

    /// Names an API.
    public init(_ name: String, as parameter: ResourceParameter = .resource) {
        self.name = name
        self.parameter = parameter
    }

    /// The field of a request that carries it; none if a scope does.
    var fields: [(name: String, value: String)] {
        switch parameter {
        case .resource, .audience: [(parameter.rawValue, name)]
        case .scope: []
        }
    }

    /// The scope that carries it; none if a field does.
    var scopes: [String] {
        switch parameter {
        case .resource, .audience: []
        case .scope: [name]
        }
    }

    /// Tells if an access token with these audiences may be for it.
    ///
    /// An audience may, where a scope carries the name, be the client id that the API has there, a GUID as Entra's: it says
    /// nothing of a name that is none itself.
    func mayBe(in audience: [String]) -> Bool {
        switch parameter {
        case .resource, .audience: return audience.contains(name)
        case .scope:
            let known = names
            if !known.contains(where: Self.isGUID), audience.contains(where: Self.isGUID) { return true }
            return !known.isDisjoint(with: audience)
        }
    }

    /// The forms that Entra gives a name in a scope, too: `NAME/.default`, or `api://ID` for the id.
    private var names: Set<String> {
        let suffix = "/.default"
        let api = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        let prefix = "api://"
        return Set([name, api, api + "/"] + (api.hasPrefix(prefix) ? [String(api.dropFirst(prefix.count))] : []))
    }

    private static func isGUID(_ text: String) -> Bool { UUID(uuidString: text) != nil }
}
