import Authority
import BrowserFlows
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth
import PageTexts
import Policies

/// Writes pages for one request: in its language, with the looks of its policy.
struct PageWriter {
    let place: AuthorityPlace
    let request: Request
    let context: HTTPContext
    /// The policy whose looks the page has; nil for a page that belongs to none.
    var policy: Policy?
    /// `ui_locales` of the authorization request.
    var locales: String?

    /// Makes the document of a page.
    func html(_ page: HostedPage) -> String {
        let overrides = policy?.texts ?? [:]
        let languages = PageTexts.available(beside: overrides)
        let language = Language.choose(
            uiLocales: locales,
            acceptLanguage: request.headers[.acceptLanguage],
            preset: policy.flatMap { Language($0.language.rawValue) } ?? .english,
            available: languages
        )
        return page.html(
            in: PageFrame(
                brand: policy.map { PageBrand($0) } ?? PageBrand(title: "Tokenbroker"),
                texts: PageTexts(language, overrides: overrides),
                assets: place.prefix + AssetRoute.folder
            )
        )
    }

    /// Makes the page of an error.
    func error(
        _ kind: ErrorPage.Kind,
        _ status: HTTPResponse.Status,
        code: String,
        detail: String? = nil,
        again: String? = nil
    ) -> Response {
        let page = ErrorPage(
            kind,
            code: code,
            detail: detail,
            correlation: CorrelationID(context.correlationID) ?? .random(),
            time: Date(),
            again: again
        )
        return .page(html(.error(page)), status: status)
    }

    /// Brings an answer to its client.
    func answer(_ answer: AuthorizationAnswer, cookies: [String] = []) -> Response {
        if let location = answer.location { return .seeOther(location, cookies: cookies) }
        let page = AnswerPage(
            target: answer.redirectURI,
            parameters: answer.parameters.map { ($0.name, $0.value) },
            client: answer.client
        )
        return .page(html(.answer(page)), formsEndAt: answer.redirectURI, cookies: cookies)
    }
}
