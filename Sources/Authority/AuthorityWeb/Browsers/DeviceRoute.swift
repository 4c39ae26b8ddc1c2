import Authority
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The page where users enter a device's code and approve or deny the device (RFC 8628 §3.3).
struct DeviceRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + Devices.path] }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Enter the code that a device shows, and approve or deny the device (RFC 8628 §3.3).",
            answer: .page,
            parameters: .optional(DeviceCodePage.field, PageForm.Field.csrf, PageForm.Field.decision)
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let writer = PageWriter(place: place, request: request, context: context, policy: nil)
        let query = try request.query()
        guard query.repeated.isEmpty else { return writer.doubled() }
        let browser = door.browser(request, context)
        guard request.method == .post else { return entry(writer, browser, query[DeviceCodePage.field]) }
        let form = try await request.form(context)
        guard form.repeated.isEmpty else { return writer.doubled() }
        guard writer.isSameSite else { return writer.forged(again: paths[0]) }
        let decision = form[PageForm.Field.decision]
        // The form for the decision has the code in the address that it is posted to.
        let code = (decision == nil ? form : query)[DeviceCodePage.field] ?? ""
        do {
            let outcome = try await door.flows.devices.decide(
                code,
                csrf: form[PageForm.Field.csrf] ?? "",
                allows: decision.map { $0 == "allow" },
                browser
            )
            return response(outcome, code, browser, writer)
        } catch BrowserProblem.forged {
            return writer.forged(again: paths[0])
        } catch let refusal as Refusal {
            return writer.refusal(refusal)
        }
    }

    private func response(
        _ outcome: DeviceOutcome,
        _ code: String,
        _ browser: Browser,
        _ writer: PageWriter
    ) -> Response {
        switch outcome {
        case .unknown: entry(writer, browser, code, isUnknown: true)
        case .asks(let device, let client, let scopes, let csrf):
            question(device, client, scopes, csrf, code, writer)
        case .pages(let ticket, let cookie): FlowRoute.opening(ticket, cookie, place, door, writer)
        case .connected: writer.answer(.connected)
        case .turnedAway: writer.answer(.refused)
        }
    }

    /// Returns the page where the user enters a code, which is filled in from a link but never submitted.
    private func entry(
        _ writer: PageWriter,
        _ browser: Browser,
        _ code: String?,
        isUnknown: Bool = false
    ) -> Response {
        let (csrf, cookie) = door.flows.devices.form(browser)
        let form = PageForm(action: writer.address(paths[0]), csrf: csrf, submission: "")
        let page = DeviceCodePage(form: form, userCode: code, isUnknown: isUnknown)
        return .page(
            writer.html(.deviceCode(page)),
            status: isUnknown ? .unprocessableContent : .ok,
            cookies: [door.cookies.settingForm(cookie)]
        )
    }

    private func question(
        _ device: DeviceRequest,
        _ client: String,
        _ scopes: [String],
        _ csrf: String,
        _ code: String,
        _ writer: PageWriter
    ) -> Response {
        let address =
            switch Origin(key: device.origin) {
            case .address(let address): address
            case .local, nil: "localhost"
            }
        let asked = DecisionPage.DeviceRequest(
            client: client,
            userCode: UserCode.canonical(code).map(UserCode.shown) ?? code,
            scopes: scopes,
            aboutPerson: device.request.aboutPerson.map(\.name),
            stays: device.request.spelledScopes.contains(Scope.offlineAccess.name),
            address: address,
            asked: Date(timeIntervalSince1970: Double(device.asked) / 1000)
        )
        let action = writer.address(paths[0], [(DeviceCodePage.field, code)])
        let form = PageForm(action: action, csrf: csrf, submission: "")
        return .page(writer.html(.decision(DecisionPage(.device(asked), form: form, now: Date()))))
    }
}
