import Authority
import FlowModel
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import Localization
import Logging

extension PageWriter {
    /// Returns the last page of a flow, with the flow's branding and in its language.
    func ended(_ end: EndedFlow) -> Response {
        var writer = self
        writer.show(end.look)
        return writer.page(of: end, end.answer)
    }

    private func page(of end: EndedFlow, _ answer: AuthorizationAnswer?) -> Response {
        switch end.state {
        case .failed(.blocked): blocked(answer, retryAfterMs: end.retryAfterMs ?? 0)
        case .failed(.wrongUser): error(.wrongUser, .forbidden, code: "wrong_user", again: answer?.location)
        case .failed(.providerFailed): error(.provider, .badGateway, code: "AADB2C90273", again: answer?.location)
        case .failed(.denied), .failed(.userCancelled):
            error(
                .denied,
                .forbidden,
                code: "access_denied",
                detail: end.message.map(Text.init(exactly:)),
                again: answer?.location
            )
        case .failed(.expired), .failed(.policyChanged), .failed(.internal), .expired, .succeeded, .cancelled,
            .challenge, .pending:
            error(.over, .gone, code: "flow_finished", again: answer?.location)
        }
    }

    private func blocked(_ answer: AuthorizationAnswer?, retryAfterMs: Int64) -> Response {
        let seconds = RetryAfter.seconds(retryAfterMs)
        let back = answer.flatMap { answer in
            answer.location.map { NoticePage.Link(address: $0, name: answer.clientName) }
        }
        return .page(
            html(.notice(NoticePage(.blocked(seconds: seconds), back: back))),
            status: .tooManyRequests,
            retryAfter: seconds
        )
    }

    /// Returns the error page for a refusal, with the address `again` of a step that is still open, if any.
    func refusal(_ refusal: Refusal, again: String? = nil) -> Response {
        switch refusal.reason {
        case .unknownPolicy: error(.notFound, .notFound, code: "unknown_policy", detail: refusal.text)
        case .flowNotFound, .flowFinished, .staleStep, .expiredStep, .submissionInProgress:
            error(.over, .gone, code: "flow_finished")
        case .blocked, .limitExceeded:
            error(
                .busy,
                .tooManyRequests,
                code: "limit_exceeded",
                detail: refusal.text,
                retryAfter: RetryAfter.seconds(refusal.retryAfterMs)
            )
        case .interactionRequired, .invalidAnswer, .unmetAuthenticationRequirements, .unsupportedStep, .unknownCheck,
            .scopeDenied, .notPermitted, .accountAmbiguous, .wrongUser, .locked, .unknownClient, .accountNotFound:
            error(.denied, .forbidden, code: "access_denied", detail: refusal.text)
        case .providerUnavailable, .providerProtocol:
            failed(
                refusal,
                .warning,
                error(.provider, .badGateway, code: "provider_failed", detail: refusal.text, again: again)
            )
        case .shuttingDown, .storageFailed: unavailable(refusal)
        }
    }

    func doubled() -> Response {
        error(.request, .badRequest, code: "invalid_request", detail: Text("error.request.doubled"))
    }

    func forged(again: String) -> Response { error(.form, .forbidden, code: "invalid_form", again: again) }

    private func failed(_ refusal: Refusal, _ level: Logger.Level, _ response: Response) -> Response {
        context.logger.log(
            level: level,
            "page failed",
            metadata: ["error": "\(refusal.detail ?? refusal.message)"]
        )
        return response
    }

    private func unavailable(_ refusal: Refusal) -> Response {
        let seconds = RetryAfter.seconds(refusal.retryAfterMs)
        return failed(
            refusal,
            .error,
            error(.unavailable, .serviceUnavailable, code: "server_error", retryAfter: seconds)
        )
    }

    /// Whether, according to the browser, a page of this site sent the form and the response opens as a top-level page.
    var isSameSite: Bool { !fetch.sentByAnother && fetch.opensPage }
}
