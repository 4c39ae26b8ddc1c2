import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import OAuth

/// The page on which a sign-in in a browser ends.
///
/// The token is in the URL's fragment, which browsers do not send to servers. A page that opened the window receives
/// the token as a message, once, after the user presses a button. This requires that the browser has just returned from
/// a sign-in, because any page could open this URL with another token.
struct DonePage: Sendable {
    let settings: SignInSettings

    func add(to router: Router<HTTPContext>, prefix: String) {
        router.get(RouterPath(prefix + "/done")) { request, _ in
            let query: Form
            do { query = try Form(request.uri.query ?? "") } catch {
                throw Completion.refusal(Text("tables.signIn.notReadable"))
            }
            let (completion, id) = try Completion.ended(query, prefix: prefix, settings)
            let language = LanguageTag.choose(
                uiLocales: nil,
                acceptLanguage: request.headers[.acceptLanguage],
                preset: .english,
                available: PageTexts.available()
            )
            let texts = PageTexts(language)
            let files = prefix + "/done"
            guard let page = completion.page else { return Self.page(DoneDocument(texts, origin: nil, files: files)) }
            let cookies = SignInCookie(isSecure: settings.isSecure, stage: .ending)
            guard let id, cookies.values(id, in: request).contains(Secret(id)) else {
                return Self.page(DoneDocument(overIn: texts, files: files), status: .badRequest)
            }
            var answer = Self.page(DoneDocument(texts, origin: page, files: files))
            answer.headers[.setCookie] = cookies.removing(id)
            return answer
        }
        router.get(RouterPath(prefix + "/done.js")) { _, _ in
            Self.answer(DoneDocument.script, "text/javascript; charset=utf-8")
        }
        router.get(RouterPath(prefix + "/done.css")) { _, _ in
            Self.answer(DoneDocument.style, "text/css; charset=utf-8")
        }
    }

    private static func page(_ document: DoneDocument, status: HTTPResponse.Status = .ok) -> Response {
        answer(document.html, "text/html; charset=utf-8", status: status)
    }

    private static func answer(_ text: String, _ type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: type, .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'none'; "
                    + "frame-ancestors 'none'; base-uri 'none'",
            ],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }
}
