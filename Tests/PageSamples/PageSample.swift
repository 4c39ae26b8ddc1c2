import FlowModel
public import HostedPages
import Localization
import Policies

/// A page with invented content, for screenshots and for checks of every page.
public struct PageSample: Sendable {
    /// The name, which becomes part of the names of files.
    public let name: String
    /// The sample page.
    public let page: HostedPage
    /// The frame around the page, which determines branding, language and assets.
    public let frame: PageFrame

    init(_ name: String, _ page: HostedPage, in frame: PageFrame) {
        self.name = name
        self.page = page
        self.frame = frame
    }

    /// The page as an HTML document.
    public var html: String { page.html(in: frame) }

    /// Returns all samples, in the order in which contact sheets show them.
    public static func all() throws -> [PageSample] {
        let policy = try Policy.sample()
        return try steps(policy) + states(policy) + others(policy) + languages(policy) + brands()
    }
}

extension PageFrame {
    /// Returns the frame of a policy's pages, which expects its assets in the folder of the page.
    static func sample(_ policy: Policy, _ language: LanguageTag = .english) -> PageFrame {
        let other: LanguageTag = language == .english ? .german : .english
        return PageFrame(
            brand: PageBrand(policy),
            texts: PageTexts(language, overrides: ["ar": arabic]),
            assets: ".",
            otherLanguages: [.init(other, address: "?ui_locales=\(other.rawValue)")]
        )
    }

    /// Texts that an operator provides in a language that is written from right to left.
    private static let arabic = [
        "step.password.title": "تسجيل الدخول", "step.password.lead": "للمتابعة إلى {app}",
        "step.password.submit": "تسجيل الدخول", "node.username.email": "البريد الإلكتروني",
        "node.password": "كلمة المرور", "node.keepMeSignedIn": "أبقني مسجّل الدخول",
        "action.forgot": "هل نسيت كلمة المرور؟", "end.create": "ليس لديك حساب؟", "action.create": "إنشاء حساب",
        "action.cancel": "إلغاء", "message.credentials.wrong": "البريد الإلكتروني وكلمة المرور غير متطابقين.",
    ]
}

extension Policy {
    /// Creates a policy for sign-up and sign-in.
    static func sample(pages: PageLook = .init()) throws -> Policy {
        Policy(
            id: try PolicyID("b2c_1_sign_up_or_in"),
            kind: .signUpOrSignIn,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true),
                AttributeRule(name: "displayName", required: true),
                AttributeRule(name: "city"),
                AttributeRule(
                    name: "extension_team",
                    options: ["Red", "Blue"],
                    label: ["en": "Team", "de": "Mannschaft"]
                ),
            ],
            pages: pages
        )
    }
}
