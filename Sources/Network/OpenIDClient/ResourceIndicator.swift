import Foundation
public import OAuth

/// The API that a token is for, in the form that the authority expects.
public struct ResourceIndicator: Hashable, Sendable {
    /// The API's name at the authority.
    public let name: String
    /// The request parameter that contains the name.
    public let parameter: ResourceParameter

    /// Creates an indicator for an API.
    public init(_ name: String, as parameter: ResourceParameter = .resource) {
        self.name = name
        self.parameter = parameter
    }

    var fields: [(name: String, value: String)] {
        switch parameter {
        case .resource, .audience: [(parameter.rawValue, name)]
        case .scope: []
        }
    }

    var scopes: [String] {
        switch parameter {
        case .resource, .audience: []
        case .scope: [name]
        }
    }

    /// Whether an access token with these audiences could be for this API.
    ///
    /// In Entra, the audience can be the API's client id (a GUID), so a GUID matches every name that is not a GUID.
    func mayBe(in audience: [String]) -> Bool {
        switch parameter {
        case .resource, .audience: return audience.contains(name)
        case .scope:
            let known = names
            if !known.contains(where: Self.isGUID), audience.contains(where: Self.isGUID) { return true }
            return !known.isDisjoint(with: audience)
        }
    }

    /// The audiences that match the name in Entra, which can omit `/.default` and `api://`, or append a slash.
    private var names: Set<String> {
        let suffix = "/.default"
        let api = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        let prefix = "api://"
        return Set([name, api, api + "/"] + (api.hasPrefix(prefix) ? [String(api.dropFirst(prefix.count))] : []))
    }

    private static func isGUID(_ text: String) -> Bool { UUID(uuidString: text) != nil }
}
