import Authority
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Logging
import OAuth
import Policies
import Systemd

/// Encodes the errors of the endpoints that programs call (RFC 6749 §5.2).
struct ProgramProblems {
    let door: ProgramEndpoints
    let policy: PolicyID
    let request: Request
    let context: HTTPContext

    private var issuer: String { door.authority.issuer(of: policy) }

    /// Returns the response of `answer`, or an error response, which the pages of the origin `reader` may read.
    func answering(reader: String? = nil, _ answer: () async throws -> Response) async throws -> Response {
        try await encoding(answer).readable(by: reader)
    }

    private func encoding(_ answer: () async throws -> Response) async throws -> Response {
        do {
            return try await answer()
        } catch let error as OAuthError {
            return response(error)
        } catch let refusal as Refusal where refusal.reason == .unknownPolicy {
            // An endpoint does not exist if its policy does not exist (RFC 9110 §15.5.5).
            throw HTTPProblem(.notFound, code: "not_found", message: refusal.message, detail: refusal.detail)
        } catch let refusal as Refusal {
            let error = OAuthError(refusal, from: .programEndpoint)
            return response(
                error,
                status: refusal.isThrottling ? 429 : error.status,
                retryAfterMs: refusal.retryAfterMs,
                level: [.providerUnavailable, .providerProtocol].contains(refusal.reason) ? .warning : .info
            )
        }
    }

    private func response(
        _ error: OAuthError,
        status: Int? = nil,
        retryAfterMs: Int64? = nil,
        level: Logger.Level = .info
    ) -> Response {
        var metadata: Logger.Metadata = [
            "error": "\(error.code.rawValue)", "correlationId": "\(context.correlationID)",
        ]
        metadata["detail"] = error.detail.map { "\($0)" }
        let origin = door.origins.origin(request, context).logText
        door.refusals.refused("request refused", of: origin, level: level, metadata: metadata)
        var headers: HTTPFields = [:]
        headers[.wwwAuthenticate] = challenge(error)
        if error.code == .temporarilyUnavailable || retryAfterMs != nil {
            headers[.retryAfter] = "\(RetryAfter.seconds(retryAfterMs))"
        }
        let time = Date().formatted(.iso8601)
        let body: JSONValue = [
            "error": .string(error.code.rawValue),
            "error_description": .string(
                "\(error.description) Correlation ID: \(context.correlationID) Timestamp: \(time)"
            ),
            "correlation_id": .string(context.correlationID),
        ]
        return .program(HTTPResponse.Status(code: status ?? error.status), body, headers: headers)
    }

    /// Returns the `WWW-Authenticate` challenge for a rejected client or token, or `nil` (RFC 6749 §5.2, RFC 6750 §3).
    private func challenge(_ error: OAuthError) -> String? {
        switch error.code {
        case .invalidClient: "Basic realm=\"\(issuer)\""
        case .invalidToken, .insufficientScope: WWWAuthenticate(error, realm: issuer).description
        default: nil
        }
    }
}

extension Refusal {
    /// Whether the caller has exceeded a limit and may try again later (RFC 6585 §4).
    var isThrottling: Bool {
        switch reason {
        case .limitExceeded, .blocked: true
        case .interactionRequired, .flowNotFound, .flowFinished, .staleStep, .submissionInProgress, .invalidAnswer,
            .unmetAuthenticationRequirements, .unsupportedStep, .unknownPolicy, .unknownCheck, .scopeDenied,
            .providerUnavailable, .providerProtocol, .expiredStep, .shuttingDown, .notPermitted, .accountAmbiguous,
            .wrongUser, .locked, .unknownClient, .accountNotFound, .storageFailed:
            false
        }
    }
}
