public import FlowModel
import Foundation
import Moments
public import OAuth
import OpenIDClient
public import Policies

/// A client for API connectors, which accept JSON in `POST` requests and respond with JSON.
public actor ConnectorClient {
    /// The maximum number of concurrent calls that are made for users from one origin.
    static let mostCalls = 8

    private let calls: OutsideCalls
    private var underWay: [String: Int] = [:]

    /// Creates a client that sends its requests through `calls`.
    public init(_ calls: OutsideCalls) { self.calls = calls }

    /// Sends claims, which must include `step`, to a connector, and returns the connector's response.
    ///
    /// - Throws: A `Refusal` with the reason `limit_exceeded` if the origin has too many concurrent calls,
    ///   `provider_unavailable`, or `provider_protocol` if the response is invalid.
    public func ask(
        _ connector: Connector,
        _ claims: [String: JSONValue],
        from origin: Origin
    ) async throws(Refusal) -> ConnectorAnswer {
        let key = origin.key
        guard underWay[key, default: 0] < Self.mostCalls else { throw Self.crowded }
        underWay[key, default: 0] += 1
        defer {
            let left = underWay[key, default: 1] - 1
            underWay[key] = left > 0 ? left : nil
        }
        do throws(ProviderError) {
            return try await answer(connector, claims, key)
        } catch {
            throw Refusal(error)
        }
    }

    /// Calls a connector, and tries once more if the connector is unavailable.
    private func answer(
        _ connector: Connector,
        _ claims: [String: JSONValue],
        _ place: String
    ) async throws(ProviderError) -> ConnectorAnswer {
        for _ in 0..<Connector.retries {
            do throws(ProviderError) {
                return try await answerOnce(connector, claims, place)
            } catch {
                // An error with `retryAfter` comes from an open circuit breaker, so a second attempt would fail too.
                guard error.code == .unavailable, error.retryAfter == nil else { throw error }
            }
        }
        return try await answerOnce(connector, claims, place)
    }

    private func answerOnce(
        _ connector: Connector,
        _ claims: [String: JSONValue],
        _ place: String
    ) async throws(ProviderError) -> ConnectorAnswer {
        let name = "connector \(connector.place.rawValue)"
        var call = OutsideCall(
            name: name,
            server: "connector \(connector.url)",
            place: place,
            address: connector.url,
            body: Data(JSONValue.object(claims).bytes),
            statuses: ConnectorAnswer.statuses,
            limit: connector.timeout
        )
        do {
            switch connector.proof {
            case .none: break
            case .basic(let username, let file):
                let pair = Data("\(username):".utf8) + (try file.content().revealBytes())
                call.authorization = Secret("Basic \(pair.base64EncodedString())")
            case .bearer(let file): call.authorization = Secret("Bearer \(try file.content().reveal())")
            case .clientCertificate(let certificate, let key):
                call.identity = (
                    try Data(contentsOf: URL(fileURLWithPath: certificate)),
                    try Data(contentsOf: URL(fileURLWithPath: key))
                )
            }
        } catch {
            throw ProviderError(.protocolViolation, "the credentials for \(name) cannot be read: \(error)")
        }
        let step = connector.place
        return try await calls.send(call) { status, json in
            try ConnectorAnswer(status, json, at: step, name: name)
        }
    }

    private static let crowded = Refusal(.limitExceeded, Text("refusal.connectorsBusy"))
        .with(.limit, "connectors").retrying(afterMs: 1_000)
}

extension Refusal {
    /// Creates the refusal for a connector's error, without telling users which connector failed.
    fileprivate init(_ error: ProviderError) {
        let refusal: Refusal =
            switch error.code {
            case .unavailable:
                Refusal(.providerUnavailable, Text("refusal.connectorSilent"))
            case .protocolViolation, .denied, .invalidGrant:
                Refusal(.providerProtocol, Text("refusal.connectorWrong"))
            }
        let told = refusal.because(error.description)
        self = error.retryAfter.map { told.retrying(afterMs: max(1, $0.milliseconds)) } ?? told
    }
}
