public import FlowModel
public import OAuth

/// The configured API that a URL belongs to, whose tokens are sent only to the API's own origins.
public struct Destination {
    /// The URL's origin.
    public let origin: WebOrigin
    /// The API to which the origin belongs.
    public let api: APISummary

    /// Creates the destination for an origin, or returns `nil` if the origin belongs to none of the APIs.
    public init?(_ origin: WebOrigin?, among apis: [APISummary]) {
        guard let origin, let api = apis.first(where: { $0.origins.contains(origin.description) }) else { return nil }
        self.origin = origin
        self.api = api
    }

    /// Returns a URL's destination, or throws a failure that lists all APIs' origins if the URL belongs to none.
    public static func of(_ url: String, among apis: [APISummary]) throws(CommandFailure) -> Destination {
        if let found = Destination(WebOrigin(url), among: apis) { return found }
        // The error message does not contain the whole URL, because a URL can contain a password.
        let place = WebOrigin(url).map { Text(exactly: $0.description) } ?? Text("failure.unusableAddress")
        let known = apis.flatMap { api in api.origins.map { "\($0) (\(api.api))" } }
        let places =
            known.isEmpty
            ? Text("failure.noOrigins") : Text("failure.tokensGoTo", ["places": known.joined(separator: ", ")])
        var failure = CommandFailure(
            .denied,
            "origin_refused",
            Text("failure.noTokenGoes.places", ["place": place, "places": places]),
            hint: Text("failure.originsOfAPIs")
        )
        failure.facts["origins"] = .array(apis.flatMap(\.origins).map(JSONValue.string))
        throw failure
    }
}
