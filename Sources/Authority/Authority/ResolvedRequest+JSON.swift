import FlowModel
public import OAuth
import Policies

extension ResolvedRequest: JSONConvertible {
    /// Reads a request from a JSON object, or returns `nil` if a required member is missing or invalid.
    public init?(json: JSONValue) {
        guard let policy = json["policy"]?.string, let id = try? PolicyID(policy), let client = json["client"]?.string,
            let audience = json["audience"]?.string, let spelledScopes = json["spelledScopes"]?.strings,
            let scopes = json["scopes"]?.strings, let additionalScopes = json["additionalScopes"]?.strings,
            let checks = json["checks"]?.strings, let additionalChecks = json["additionalChecks"]?.strings,
            let acrValues = json["acrValues"]?.strings
        else { return nil }
        self.init(
            policy: id,
            client: client,
            audience: audience,
            api: json["api"]?.string,
            resource: json["resource"]?.string,
            spelledScopes: spelledScopes,
            scopes: scopes,
            additionalScopes: additionalScopes,
            checks: checks,
            additionalChecks: additionalChecks,
            acrValues: acrValues,
            maxAge: json["maxAge"]?.int
        )
    }

    /// The request as a JSON object, with the same member names that `encode(to:)` uses.
    public var json: JSONValue {
        let lists = [
            ("spelledScopes", spelledScopes), ("scopes", scopes), ("additionalScopes", additionalScopes),
            ("checks", checks), ("additionalChecks", additionalChecks), ("acrValues", acrValues),
        ]
        var members = Dictionary(uniqueKeysWithValues: lists.map { ($0, JSONValue.array($1.map { .string($0) })) })
        members["policy"] = .string(policy.description)
        members["client"] = .string(client)
        members["audience"] = .string(audience)
        members["api"] = api.map { .string($0) }
        members["resource"] = resource.map { .string($0) }
        members["maxAge"] = maxAge.map { .int($0) }
        return .object(members)
    }
}
