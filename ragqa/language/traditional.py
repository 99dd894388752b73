"""Traditional characters in their simplified forms, for rules that are written in the latter."""

from __future__ import annotations

from typing import Final

_TRADITIONAL: Final = (
    "並佔來係倉個們備傳僅價億儘償優兒內兩冊別刪則剛創劃動務區協卻參員問啟單嗎嘗國圓圖執報場塊壓壞"
    "壺夠學審寫寬將專對導屆層屬帳帶幣幫幹庫廠廢張彙後徑從復態懇應戶掛換損撥據攝敗數斷於時暫書會條"
    "業標樣機檔檢權歐歡歲歷沒況淨淺減準溫滿潔為無煩燈營爾狀獻現產畝畢當疊發盡確碼種稱積筆節簡簽紀"
    "約紅納級紹終結絕給統綁經綜綠維綵線編緻縣總繫繳繼續義聯腳臺與興舊蓋藍藝處號術補裝裡覈見規親觀"
    "訂計討記設許訴註詢試話該詳認語說誰課調請論諮謝識譯議變讓貝貨貳貴買費資賠賣質賬購載輛輪輯輸轉"
    "辦辭這週進運過達違遞遠適選遺還邊郵銀銷鋼錄錢鎖鎮鏈鐘長門閉開間閱關陸際隨隱雖雙離電響頁頃項順"
    "須預頭顆題顏類顯養餘饋髮麼黃點訊網幾"
)
_SIMPLIFIED: Final = (
    "并占来系仓个们备传仅价亿尽偿优儿内两册别删则刚创划动务区协却参员问启单吗尝国圆图执报场块压坏"
    "壶够学审写宽将专对导届层属帐带币帮干库厂废张汇后径从复态恳应户挂换损拨据摄败数断于时暂书会条"
    "业标样机档检权欧欢岁历没况净浅减准温满洁为无烦灯营尔状献现产亩毕当叠发尽确码种称积笔节简签纪"
    "约红纳级绍终结绝给统绑经综绿维彩线编致县总系缴继续义联脚台与兴旧盖蓝艺处号术补装里核见规亲观"
    "订计讨记设许诉注询试话该详认语说谁课调请论咨谢识译议变让贝货贰贵买费资赔卖质账购载辆轮辑输转"
    "办辞这周进运过达违递远适选遗还边邮银销钢录钱锁镇链钟长门闭开间阅关陆际随隐虽双离电响页顷项顺"
    "须预头颗题颜类显养余馈发么黄点讯网几"
)
"""The characters of the rules' own words; others need no simplified form here."""

_TABLE: Final = str.maketrans(_TRADITIONAL, _SIMPLIFIED)


def simplified(text: str) -> str:
    """Return a text in simplified characters; each one keeps its place.

    >>> simplified("已為您取消訂單。")
    '已为您取消订单。'
    """
    return text if text.isascii() else text.translate(_TABLE)
