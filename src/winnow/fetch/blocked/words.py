"""What walls say, in the languages they say it in. Searched in titles and headings of pages without content.

Whole sentences of the services' own texts, or what stands alone in a title: a word like "captcha" or "log in" inside a
longer title is no sign.
"""

from __future__ import annotations

import re


def _said(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.I | re.M)


CHALLENGE = _said(
    # English
    r"^just a moment\b",
    r"^(?:please wait|one moment,? please|attention required!)\W*(?:\||-|$)",
    r"checking (?:your browser|if the site connection is secure|you are (?:not a bot|human))",
    r"performing security verification",
    r"^security (?:check|verification)\W*(?:[|–-] ?[\w.]{2,20})?$|^additional verification required\W*$",
    r"enable javascript and cookies to continue",
    r"making sure you(?:'|’)?re not a bot",
    r"^vercel security checkpoint",
    r"\bwaiting room\b.{0,12}$|^you are (?:now )?in (?:line|the queue)\b",
    # German, French, Spanish, Italian, Portuguese, Dutch
    r"^(?:nur )?einen (?:moment|augenblick)\b.{0,12}$|ihr browser wird (?:überprüft|geprüft)",
    r"^sicherheits(?:über)?prüfung\W*$",
    r"^un (?:instant|moment)\b.{0,22}$|vérification (?:de votre navigateur|de sécurité)",
    r"^un momento\b.{0,14}$|(?:comprobando|verificando) (?:su|tu) navegador|verificación de seguridad",
    r"^un attimo\b.{0,14}$|(?:verifica|controllo) del (?:tuo )?browser|^verifica di sicurezza\W*$",
    r"^um momento\b.{0,14}$|verificando (?:o )?seu navegador|verificação de segurança",
    r"^(?:een|even) (?:ogenblik|geduld)\b.{0,16}$|uw browser wordt gecontroleerd|^beveiligingscontrole\W*$",
    # Polish, Russian, Turkish, Swedish, Japanese, Chinese, Korean
    r"^(?:jeszcze )?(?:chwileczkę|chwila)\b|sprawdzanie (?:twojej )?przeglądarki",
    r"^(?:один|одну|минут\w*) ?(?:момент|секунд\w*|минут\w*)?\W*$|проверка (?:вашего )?браузера|проверяем ваш браузер",
    r"^bir (?:dakika|saniye)\b.{0,12}$|tarayıcınız kontrol ediliyor",
    r"^(?:ett ögonblick|vänta)\b.{0,12}$|kontrollerar din webbläsare",
    r"^(?:しばらくお待ちください|少々お待ちください)|ブラウザ(?:を|ー?の)(?:確認|チェック)",
    r"^(?:请稍候|請稍候|请稍等)|正在(?:检查|檢查|验证|驗證)您的(?:浏览器|瀏覽器)|安全(?:验证|驗證|检查)\W*$",
    r"^잠시만 기다리",
)
CAPTCHA = _said(
    r"(?:verify|confirm|prove)(?:ing)? (?:that )?you(?:'|’)?(?:re| are)(?: a)? (?:human|real person|not a (?:robot|bot))",
    r"^help us protect \w+\W*$",
    r"are you (?:a )?(?:human|robot)\?|i(?:'|’)?m not a robot",
    r"human verification|robot or human",
    r"(?:complete|solve) the (?:captcha|security check|challenge) (?:to|below)",
    r"enter the characters you see|type the characters you see",
    r"press (?:&|and) hold",
    r"unusual traffic from your computer network",
    r"pardon our interruption",
    r"^captcha(?: (?:challenge|check|verification|required))?\W*$",
    r"bestätigen sie,? dass sie (?:ein mensch|kein roboter) sind|ich bin kein roboter|sind sie ein (?:mensch|roboter)",
    r"(?:vérifiez|confirmez|prouvez) que vous (?:êtes (?:un )?humain|n(?:'|’)êtes pas un robot)",
    r"je ne suis pas un robot",
    r"(?:verifi(?:que|ca)|confirm[ea]|demuestr[ea]) que (?:eres|es) (?:un )?humano|no soy un robot|no eres un robot",
    r"(?:verifica|conferma|dimostra) (?:di essere|che sei) (?:un )?(?:essere )?umano|non sono un robot",
    r"(?:verifique|confirme|prove) que (?:você )?é (?:um )?humano|não sou um robô",
    r"(?:bevestig|controleer) dat u (?:een mens|geen robot) bent|ik ben geen robot",
    r"potwierdź,? że (?:jesteś człowiekiem|nie jesteś robotem)|nie jestem robotem",
    r"подтвердите,? что (?:вы не робот|вы человек|запросы отправляли вы)|я не робот|вы не робот",
    r"(?:insan|robot olmadığınızı) (?:olduğunuzu )?(?:doğrulayın|onaylayın)|ben robot değilim",
    r"(?:bekräfta|verifiera) att du (?:är människa|inte är en robot)",
    r"(?:人間であることを|ロボットではないことを)(?:確認|証明)|私はロボットではありません",
    r"(?:请|請)?(?:完成|进行|進行)(?:安全)?(?:验证|驗證)|(?:验证|確認|确认)您(?:是真人|不是机器人)|滑动验证|我不是机器人",
    r"로봇이 아닙니다|사람인지 확인",
)
DENIED = _said(
    r"^(?:error:? )?(?:\d{3} ?[-:–|]? ?)?(?:access (?:is )?denied|(?:request )?(?:forbidden|denied)(?: error)?)"
    r"(?:: access is denied)?\W*(?:[|–-].{0,40})?$",
    r"^access to (?:this |the )?(?:web ?site|site|page) (?:is |has been |was )?(?:blocked|denied)\W*$",
    r"access to this page has been denied",
    r"^(?:sorry, )?you have been blocked\W*$",
    r"^(?:your )?(?:ip|request) (?:address )?(?:has been|was|is) (?:blocked|banned|denied)",
    r"^(?:the )?request (?:was |has been )?(?:blocked|rejected)\b|the requested url was rejected",
    r"^you don(?:'|’)t have permission to access",
    r"(?:site|content|page|service|^\S+\.\w+) is (?:currently )?not available in your (?:country|region|location|area)",
    r"unavailable for legal reasons",
    r"^bot (?:detected|detection)\W*$|automated access (?:is )?(?:denied|not allowed)",
    r"^zugriff (?:verweigert|gesperrt|nicht erlaubt)\W*$|^zugang (?:verweigert|gesperrt)\W*$",
    r"^accès (?:refusé|interdit|bloqué)\W*$",
    r"^acceso (?:denegado|prohibido|bloqueado|restringido)\W*$",
    r"^accesso (?:negato|vietato|bloccato)\W*$",
    r"^acesso (?:negado|proibido|bloqueado)\W*$",
    r"^(?:toegang (?:geweigerd|ontzegd)|geen toegang)\W*$",
    r"^(?:odmowa dostępu|dostęp (?:zabroniony|zablokowany))\W*$",
    r"^доступ (?:запрещ[её]н|ограничен|заблокирован)\W*",
    r"^erişim (?:engellendi|reddedildi)\W*$",
    r"^(?:åtkomst nekad|adgang nægtet|ingen tilgang|pääsy estetty)\W*$",
    r"^アクセスが(?:拒否|制限)|^アクセス拒否",
    r"^(?:访问被拒绝|拒绝访问|存取遭拒|禁止访问|訪問被拒絕)",
    r"^(?:접근이|액세스가) ?(?:거부|차단)",
)
LOGIN = _said(
    r"^(?:please )?(?:log ?in|sign ?in|login)\b.{0,60}$",
    r"\b(?:log ?in|sign ?in) (?:to (?:continue|view|see|access)|required)\b",
    r"^(?:join|members only|login required|authentication required)\b.{0,60}$",
    r"^(?:bitte )?(?:anmelden|einloggen|anmeldung|login)\b.{0,60}$|melden sie sich an",
    r"^(?:connexion|se connecter|connectez-vous|identifiez-vous)\b.{0,60}$",
    r"^(?:iniciar sesión|inicia sesión|inicie sesión|acceder|identifícate)\b.{0,60}$",
    r"^(?:accedi|accesso|effettua (?:il login|l(?:'|’)accesso))\b.{0,60}$",
    r"^(?:entrar|iniciar sessão|faça (?:o )?login|fazer login)\b.{0,60}$",
    r"^(?:inloggen|log in|aanmelden|meld je aan)\b.{0,60}$",
    r"^(?:zaloguj się|logowanie)\b.{0,60}$",
    r"^(?:вход|войти|войдите|авторизация)\b.{0,60}$",
    r"^(?:giriş yap\w*|oturum aç\w*)\b.{0,60}$",
    r"^(?:logga in|log ind|logg inn|kirjaudu)\b.{0,60}$",
    r"^(?:ログイン|サインイン)|^(?:登录|登入|请登录|請登入)|^로그인",
)
CONSENT = _said(
    r"^before you continue(?: to \w+)?\W*$",
    r"^(?:bevor (?:du|sie) .{0,20}(?:fortfährst|fortfahren|weitergehst)|bevor sie zu \w+ weitergehen)\W*",
    r"^(?:avant d(?:'|’)accéder à|antes de (?:ir a|continuar|aceder)|prima di continuare|voordat je verdergaat)\b.{0,30}$",
    r"^(?:we value your privacy|your privacy (?:choices|matters|is important)|privacy (?:settings|gate))\W*$",
    r"\bis (?:now )?part of the yahoo family\b|^yahoo is part of\b",
    r"^(?:mit werbung weiterlesen|weiterlesen mit werbung|zustimmung erforderlich|cookie-einwilligung erforderlich)\b",
    r"^(?:consent required|cookie consent required|cookies? (?:toestemming|zustimmung) .{0,20})\W*$",
    r"^(?:dpg media privacy gate|privacy gate|privacy-gate)\b",
    r"^(?:continuer sans accepter|votre vie privée|respect de votre vie privée)\W*$",
)
NEEDS_SCRIPT = _said(
    r"(?:enable|requires?|needs?|turn on|activate) (?:\w+ ){0,3}java ?script",
    r"java ?script (?:is |must be |to be )?(?:required|enabled|disabled|needed|turned on)|without java ?script",
    r"java ?script (?:aktivieren|aktiviert|benötigt|deaktiviert|erforderlich)",
    r"(?:aktivieren|benötigt) (?:\w+ ){0,3}java ?script",
    r"(?:activer|activez|nécessite|désactivé) (?:\w+ ){0,2}java ?script|java ?script (?:est|doit)",
    r"(?:activar|activa|active|habilitar|habilite|requiere|necesita) (?:\w+ ){0,2}java ?script",
    r"(?:abilita|abilitare|attiva|attivare|richiede) (?:\w+ ){0,2}java ?script",
    r"(?:ative|habilite|ativar|requer|precisa) (?:\w+ ){0,2}(?:o )?java ?script",
    r"(?:schakel|zet|vereist) (?:\w+ ){0,2}java ?script",
    r"włącz\w* (?:\w+ ){0,2}java ?script|włącz(?:yć)? (?:obsługę )?java ?script",
    r"(?:включите|включить|требуется|необходим\w*) (?:\w+ ){0,3}java ?script",
    r"java ?script(?:を|が)|(?:启用|啟用|开启|開啟|需要).{0,8}java ?script|java ?script.{0,8}(?:활성화|필요)",
)
