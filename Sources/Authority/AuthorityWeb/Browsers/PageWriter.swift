import Authority
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import Localization
import OAuth
import Policies

/// Writes the pages for one request, in the request's language and with the branding of the request's policy.
struct PageWriter {
    let place: AuthorityPaths
    let request: Request
    let context: HTTPContext
    var policy: Policy?
    /// The value of `ui_locales` in the authorization request, or `nil` if the request contains none.
    var locales: String?

    var fetch: FetchMetadata { FetchMetadata(request, scheme: place.scheme) }

    /// The language that the user has chosen on a page, from `ui_locales` in its address, or `nil` if none.
    private var chosen: String? { (try? request.query())?["ui_locales"] }

    /// Returns an address with the query parameters `parameters` and the language that the user has chosen.
    func address(_ path: String, _ parameters: [(name: String, value: String)] = []) -> String {
        let all = parameters + (chosen.map { [(name: Self.languageParameter, value: $0)] } ?? [])
        return all.isEmpty ? path : "\(path)?" + Form.encoded(all)
    }

    /// Gives the pages the branding and the languages of a flow.
    mutating func show(_ look: FlowLook) {
        policy = look.policy
        locales = look.locales
    }

    private static let languageParameter = "ui_locales"

    /// Returns links to this page in other languages, or none after a POST, which a link cannot repeat.
    ///
    /// The links contain the canonical path, because a browser reads a path such as `//evil.example` as another host.
    private func others(_ language: LanguageTag, among languages: [LanguageTag]) -> [PageFrame.LanguageLink] {
        guard request.method == .get, let query = try? request.query(),
            let path = try? RequestPath(request.uri.path)
        else { return [] }
        let kept = query.pairs.filter { $0.name != Self.languageParameter }.sorted { $0.name < $1.name }
        return languages.filter { $0 != language }.map { other in
            let all = kept + [(name: Self.languageParameter, value: other.rawValue)]
            return PageFrame.LanguageLink(other, address: "\(path)?" + Form.encoded(all))
        }
    }

    func html(_ page: HostedPage) -> String {
        let overrides = policy?.texts ?? [:]
        let languages = PageTexts.available(beside: overrides)
        let language = LanguageTag.choose(
            uiLocales: [chosen, locales].compactMap { $0 }.joined(separator: " "),
            acceptLanguage: request.headers[.acceptLanguage],
            preset: policy?.language ?? .english,
            available: languages
        )
        return page.html(
            in: PageFrame(
                brand: policy.map { PageBrand($0) } ?? PageBrand(title: "Tokenbroker"),
                texts: PageTexts(language, overrides: overrides),
                assets: place.prefix + AssetRoute.folder,
                otherLanguages: others(language, among: languages)
            )
        )
    }

    func error(
        _ kind: ErrorPage.Kind,
        _ status: HTTPResponse.Status,
        code: String,
        detail: Text? = nil,
        again: String? = nil,
        retryAfter: Int? = nil
    ) -> Response {
        let page = ErrorPage(
            kind,
            code: code,
            detail: detail,
            correlation: CorrelationID(context.correlationID) ?? .random(),
            time: Date(),
            again: again
        )
        return .page(html(.error(page)), status: status, retryAfter: retryAfter)
    }

    func answer(_ answer: AuthorizationAnswer, cookies: [String] = []) -> Response {
        if let location = answer.location { return .seeOther(location, cookies: cookies) }
        let page = AnswerPage(
            target: answer.redirectURI,
            parameters: answer.parameters.map { ($0.name, $0.value) },
            client: answer.clientName
        )
        return .page(html(.answer(page)), forms: .client, cookies: cookies)
    }
}
