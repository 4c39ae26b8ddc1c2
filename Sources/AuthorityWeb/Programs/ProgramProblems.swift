import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import OAuth

/// The refusals of the endpoints for programs, as they answer them (RFC 6749 §5.2).
struct ProgramProblems {
    let issuer: String
    let context: HTTPContext

    /// Answers, or encodes the refusal.
    func answering(_ answer: () async throws -> Response) async throws -> Response {
        do {
            return try await answer()
        } catch let error as OAuthError {
            return response(error)
        } catch let refusal as Refusal {
            var headers: HTTPFields = [:]
            headers[.retryAfter] = refusal.retryAfterMs.map { "\(max(1, ($0 + 999) / 1000))" }
            return response(OAuthError(answering: refusal), headers: headers)
        }
    }

    private func response(_ error: OAuthError, headers: HTTPFields = [:]) -> Response {
        var metadata: Logger.Metadata = ["error": "\(error.code.rawValue)"]
        metadata["detail"] = error.detail.map { "\($0)" }
        context.logger.info("request refused", metadata: metadata)
        var headers = headers
        headers[.wwwAuthenticate] = challenge(error)
        let time = Date().formatted(.iso8601)
        let body: JSONValue = [
            "error": .string(error.code.rawValue),
            "error_description": .string(
                "\(error.description) Correlation ID: \(context.correlationID) Timestamp: \(time)"
            ),
            "correlation_id": .string(context.correlationID),
        ]
        return .program(HTTPResponse.Status(code: error.status), body, headers: headers)
    }

    /// The challenge for a client that failed (RFC 6749 §5.2, RFC 6750 §3); nil where that is not the failure.
    private func challenge(_ error: OAuthError) -> String? {
        switch error.code {
        case .invalidClient: "Basic realm=\"\(issuer)\""
        case .invalidToken, .insufficientScope: WWWAuthenticate(error, realm: issuer).description
        default: nil
        }
    }
}

extension OAuthError {
    /// The error that a program is answered with if the rules behind both doors refuse its request.
    init(answering refusal: Refusal) {
        switch refusal.reason {
        case .scopeDenied where refusal.facts[.resource] != nil:
            self = .b2c(.invalidTarget, 90146, refusal.message, detail: refusal.detail)
        case .scopeDenied: self = .b2c(.invalidScope, 90117, refusal.message, detail: refusal.detail)
        case .unknownPolicy: self.init(code: .invalidRequest, description: refusal.message, detail: refusal.detail)
        case .unknownClient: self = .invalidClient(detail: refusal.message)
        case .interactionRequired, .unmetAuthenticationRequirements, .wrongUser, .accountNotFound, .flowNotFound,
            .flowFinished:
            self.init(code: .invalidGrant, description: refusal.message, detail: refusal.detail)
        case .limitExceeded: self = .b2c(.temporarilyUnavailable, 90244, refusal.message, detail: refusal.detail)
        case .storageFailed, .shuttingDown, .providerUnavailable:
            self = .temporarilyUnavailable(refusal.message, detail: refusal.detail)
        case .staleStep, .submissionInProgress, .invalidAnswer, .blocked, .unsupportedStep, .unknownCheck,
            .providerProtocol, .expiredStep, .notPermitted, .accountAmbiguous, .locked:
            self = .accessDenied(refusal.message, detail: refusal.detail)
        }
    }
}
