import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import PageTexts

/// The page at which a browser's sign-in ends: programs read its address, and people read it.
///
/// The token is in the fragment of the address, which no server is sent. A page that opened the window is told by a message
/// to exactly its origin, which the page names, and only after a press.
struct DonePage: Sendable {
    let settings: SignInSettings

    func add(to router: Router<HTTPContext>, prefix: String) {
        router.get(RouterPath(prefix + "/done")) { request, _ in
            let query: Form
            do { query = try Form(request.uri.query ?? "") } catch {
                throw Completion.refusal("the query cannot be read")
            }
            let completion = try Completion(query, prefix: prefix, settings)
            let language = LanguageTag.choose(
                uiLocales: nil,
                acceptLanguage: request.headers[.acceptLanguage],
                preset: .english,
                available: PageTexts.available()
            )
            return Self.answer(
                DoneDocument(PageTexts(language), origin: completion.page, files: prefix + "/done").html,
                "text/html; charset=utf-8"
            )
        }
        router.get(RouterPath(prefix + "/done.js")) { _, _ in
            Self.answer(DoneDocument.script, "text/javascript; charset=utf-8")
        }
        router.get(RouterPath(prefix + "/done.css")) { _, _ in
            Self.answer(DoneDocument.style, "text/css; charset=utf-8")
        }
    }

    private static func answer(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'none'; "
                    + "frame-ancestors 'none'; base-uri 'none'",
            ],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }
}
