public import FlowModel
import OAuth
public import ProgramConfiguration

/// The API that a URL belongs to, according to the origins in the daemon's configuration.
///
/// An API's tokens are sent only to the API's own origins.
public struct Destination {
    /// The URL's scheme, host and port.
    public let origin: WebOrigin
    /// The API that the origin belongs to.
    public let api: APISummary

    /// Finds the API of an origin, or returns `nil` if no API has this origin.
    public init?(_ origin: WebOrigin?, among apis: [APISummary]) {
        guard let origin, let api = apis.first(where: { $0.origins.contains(origin.description) }) else { return nil }
        self.origin = origin
        self.api = api
    }

    /// Finds the API of a URL.
    ///
    /// - Parameters:
    ///   - url: The URL as typed.
    ///   - apis: The daemon's APIs.
    /// - Returns: The API and the URL's origin.
    /// - Throws: A refusal that lists the known origins if no API has the URL's origin.
    public static func of(_ url: String, among apis: [APISummary]) throws(CommandFailure) -> Destination {
        if let found = Destination(WebOrigin(url), among: apis) { return found }
        // The URL itself is not repeated, because it can contain a password.
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
